"""Where actions lie on the planes that a network sees."""

from spielwerk.games import Game


def action_index(game: Game) -> list[int]:
    """For every action its place among all cells of all kinds, row by row; actions beside the board come after them.

    A network that answers with a number for each of these places can play boards of every size.
    """
    _, height, width = game.observation_shape
    cells = game.action_cells
    beside = (1 + max(kind for kind, _, _ in cells)) * height * width
    index = []
    for kind, row, column in cells:
        if kind < 0:
            index.append(beside)
            beside += 1
        else:
            index.append((kind * height + row) * width + column)
    return index
