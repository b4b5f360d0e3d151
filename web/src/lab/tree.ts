// A game with its variations and comments. The first of a node's children is how the line goes on; others are variations.

import type { GameRecord } from '../table/records'

export interface Node {
  /** '' for the first position. */
  action: string
  parent: Node | null
  children: Node[]
  comment: string
}

export interface VariationRecord {
  actions: string[]
  comments?: Record<string, string>
  variations?: Record<string, VariationRecord[]>
}

export function newNode(action = '', parent: Node | null = null): Node {
  return { action, parent, children: [], comment: '' }
}

/** The actions from the first position to this one. */
export function pathTo(node: Node): string[] {
  return linkTo(node).map(({ action }) => action)
}

/** The nodes from the first action to this one. */
export function linkTo(node: Node): Node[] {
  const found: Node[] = []
  for (let at = node; at.parent; at = at.parent) found.unshift(at)
  return found
}

export function plyOf(node: Node): number {
  return linkTo(node).length
}

/** The node after an action: the one that is there already, or a new one. */
export function played(node: Node, action: string): Node {
  const known = node.children.find((child) => child.action === action)
  if (known) return known
  const child = newNode(action, node)
  node.children.push(child)
  return child
}

/** The last node of the line that begins here. */
export function endOf(node: Node): Node {
  let at = node
  while (at.children[0]) at = at.children[0]
  return at
}

/** The node at which this one's line left the line it belongs to; null on the main line. */
export function branchOf(node: Node): Node | null {
  for (let at = node; at.parent; at = at.parent) if (at.parent.children[0] !== at) return at
  return null
}

/** Moves the variation that this node belongs to before its neighbours. */
export function promote(node: Node): void {
  const branch = branchOf(node)
  if (!branch?.parent) return
  const { children } = branch.parent
  children.splice(children.indexOf(branch), 1)
  children.unshift(branch)
}

/** Takes a node and all after it away; the node before it is what is left. */
export function remove(node: Node): Node {
  const { parent } = node
  if (!parent) return node
  parent.children = parent.children.filter((child) => child !== node)
  return parent
}

/** The other continuation that follows this one, in a circle. */
export function nextSibling(node: Node): Node {
  const all = node.parent?.children ?? [node]
  return all[(all.indexOf(node) + 1) % all.length]!
}

// Records: a variation stands at the ply that its first action has

export function treeOf(record: GameRecord): Node {
  const root = newNode()
  const comments = record.comments as Record<string, string> | undefined
  root.comment = comments?.['0'] ?? ''
  grow(root, 0, record as unknown as VariationRecord)
  return root
}

function grow(from: Node, ply: number, line: VariationRecord): void {
  const along = [from]
  for (const action of line.actions) {
    const child = played(along.at(-1)!, action)
    child.comment = line.comments?.[ply + along.length] ?? child.comment
    along.push(child)
  }
  for (const [at, variations] of Object.entries(line.variations ?? {}))
    for (const variation of variations) {
      const before = along[Number(at) - ply - 1]
      if (before) grow(before, Number(at) - 1, variation)
    }
}

/** The line that goes on from a node, as a record has it; `most` actions of it, the rest becomes a variation. */
export function lineFrom(root: Node, most = Infinity): VariationRecord {
  return lineAlong(root, [], most)
}

function lineAlong(from: Node, first: Node[], most = Infinity): VariationRecord {
  const start = plyOf(from)
  const line = [...first]
  while ((line.at(-1) ?? from).children[0] && line.length < most) line.push((line.at(-1) ?? from).children[0]!)
  const comments: Record<string, string> = {}
  const variations: Record<string, VariationRecord[]> = {}
  if (!from.parent && from.comment && first.length === 0) comments['0'] = from.comment
  line.forEach((node, index) => {
    if (node.comment) comments[start + index + 1] = node.comment
  })
  // Of a variation's first action the neighbours belong to the line that it left.
  const points = first.length ? line : [from, ...line]
  for (const node of points) {
    const goesOn = line[line.indexOf(node) + 1]
    const others = node.children.filter((child) => child !== goesOn)
    if (others.length) variations[plyOf(node) + 1] = others.map((child) => lineAlong(node, [child]))
  }
  return {
    actions: line.map(({ action }) => action),
    ...(Object.keys(comments).length ? { comments } : {}),
    ...(Object.keys(variations).length ? { variations } : {}),
  }
}
