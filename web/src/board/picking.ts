// From a point or a cursor to the action that is meant there. Knows areas and sources, no game.

import { centreOf, contains, isOnBoard, surfaceOf } from './geometry'
import { inLanguage, type Hit, type Label, type Language, type Point, type Scene, type Shape } from './scene'

export type Pick =
  | { kind: 'play'; hit: Hit }
  | { kind: 'choose'; hits: Hit[] }
  | { kind: 'select'; source: string }
  | { kind: 'attempt'; action: string; source: string | null }
  | { kind: 'nothing' }

interface Table {
  shapes: Map<string, Shape>
  /** Ids of the places that have names. */
  cells: Set<string>
  hits: Hit[]
  /** How near one must come to a line or a dot. */
  reach: number
}

/** What a click or the Enter key means at a point; `selected` is the piece chosen before, if any. */
export function pickAt(table: Table, point: Point, selected: string | null): Pick {
  const sources = new Set(table.hits.flatMap((hit) => hit.source ?? []))
  const under = areasAt(table, point)
  const here = hitsIn(table.hits, under)
  const ours = selected ? here.filter((hit) => hit.source === selected) : here
  const source = topmost(table, point, sources)
  if (source && source !== selected && ours.length === 0) return { kind: 'select', source }
  const [only, ...more] = ours
  if (only && more.length === 0) return { kind: 'play', hit: only }
  if (only) return { kind: 'choose', hits: ours }
  return attemptAt(table, under, selected)
}

/** The ids of what lies under a point and could be meant later: places, and pieces of these seats; the smallest first. */
export function placesAt({ shapes, cells, reach }: Omit<Table, 'hits'>, point: Point, mine: number[]): string[] {
  const isMine = ({ classes }: Shape) => mine.some((seat) => classes?.split(' ').includes(`seat-${seat}`))
  const found = [...shapes].filter(([id, shape]) => (cells.has(id) || isMine(shape)) && contains(shape, point, reach))
  return found.sort(([, a], [, b]) => surfaceOf(a) - surfaceOf(b)).map(([id]) => id)
}

/** The one thing that can be played at the first of these places where anything can. */
export function onlyHitAt(hits: Hit[], places: string[]): Hit | null {
  const here = hitsIn(hits, places)
  return here.length === 1 ? here[0]! : null
}

/** What letting go of a dragged piece means. */
export function dropAt(table: Table, point: Point, source: string): Pick {
  const under = areasAt(table, point)
  const [hit, ...more] = hitsIn(table.hits, under).filter((one) => one.source === source)
  if (hit) return more.length ? { kind: 'choose', hits: [hit, ...more] } : { kind: 'play', hit }
  const atHome = topmost(table, point, new Set([source])) === source
  return atHome ? { kind: 'nothing' } : attemptAt(table, under, source)
}

/** Ids of labelled shapes and hit areas under the point, smallest first: it is the most exactly meant. */
function areasAt({ shapes, cells, hits, reach }: Table, point: Point): string[] {
  const areas = new Set(hits.map((hit) => hit.area))
  const found = [...shapes].filter(([id, shape]) => (areas.has(id) || cells.has(id)) && contains(shape, point, reach))
  return found.sort(([, a], [, b]) => surfaceOf(a) - surfaceOf(b)).map(([id]) => id)
}

function hitsIn(hits: Hit[], areas: string[]): Hit[] {
  const area = areas.find((id) => hits.some((hit) => hit.area === id))
  return hits.filter((hit) => hit.area === area)
}

function topmost({ shapes, reach }: Table, point: Point, ids: Set<string>): string | null {
  return [...shapes].findLast(([id, shape]) => ids.has(id) && contains(shape, point, reach))?.[0] ?? null
}

/**
 * What the person tried where nothing is offered, so that the server can say why it is not allowed.
 * The offered actions show how an action is written from its area's name ('@' and the name, say).
 */
function attemptAt({ shapes, cells, hits }: Table, under: string[], source: string | null): Pick {
  // Only names that are the same in all languages are part of notation.
  const nameOf = (id: string) => {
    const label = cells.has(id) ? shapes.get(id)?.label : undefined
    return typeof label === 'string' ? label : null
  }
  const name = under.map(nameOf).find(Boolean)
  if (!name) return { kind: 'nothing' }
  for (const { area, action } of hits.filter((hit) => !source || hit.source === source)) {
    const known = nameOf(area)
    if (known && action.includes(known)) return { kind: 'attempt', action: action.replace(known, name), source }
  }
  return { kind: 'nothing' }
}

/**
 * The scene without what stands for buttons in its margin: the page offers those as real buttons, large enough
 * for fingers and within reach of the keyboard.
 */
export function withoutMarginButtons(scene: Scene): Scene {
  const { focus } = scene.static
  const areas = new Set(scene.hits.map((hit) => hit.area))
  const buttons = scene.layers.flatMap(({ name, shapes }) =>
    shapes.filter((shape) => areas.has(shape.id ?? '') && !isOnBoard(shape, name, focus)),
  )
  if (buttons.length === 0) return scene
  const isLettering = (shape: Shape) =>
    shape.kind === 'text' && buttons.some((button) => contains(button, centreOf(shape), 0))
  const layers = scene.layers.map(({ name, shapes }) => ({
    name,
    shapes: shapes.filter((shape) => !buttons.includes(shape) && !isLettering(shape)),
  }))
  return { ...scene, layers }
}

/** The action that must be played because there is no other, where it belongs to no place of the board: a pass. */
export function forcedPass({ hits, layers, static: { focus } }: Scene): string | null {
  const [only, ...more] = hits
  if (!only || more.length) return null
  const isBeside = layers.some(({ name, shapes }) =>
    shapes.some((shape) => shape.id === only.area && !isOnBoard(shape, name, focus)),
  )
  return isBeside ? only.action : null
}

/** What a screen reader says of the place: its name, what stands there, what can be done. */
export function describePlace(
  shapes: Map<string, Shape>,
  hits: Hit[],
  area: string,
  point: Point,
  language: Language,
): string {
  const own = shapes.get(area)?.label
  const standing = [...shapes.values()].filter(
    (shape) => (shape.kind === 'use' || shape.kind === 'circle') && shape.label && contains(shape, point, 0),
  )
  const offered = hits.filter((hit) => hit.area === area)
  const labels = [own, ...standing.map((shape) => shape.label), ...offered.map((hit) => hit.label)]
  return labels
    .filter((label): label is Label => label !== undefined)
    .map((label) => inLanguage(label, language))
    .join(', ')
}
