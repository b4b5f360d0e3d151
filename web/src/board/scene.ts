// A scene as it arrives from the server: `spielwerk.render.scene` in Python defines it, its types are generated from that.

import type { components } from '../api/schema'

type Schemas = components['schemas']

export type Language = keyof Schemas['Label']
/** One text, or one for each language where they differ. */
export type Label = string | Schemas['Label']
export type Box = Readonly<Schemas['SceneStatic']['view']>
export type Point = Schemas['ScenePolygon']['points'][number]

export type Layer = Schemas['SceneLayer']
export type Shape = Layer['shapes'][number]
export type Hit = Schemas['SceneHit']
export type Static = Schemas['SceneStatic']
export type Scene = Schemas['Scene']
/** A number of pieces beside the board; seat -1 is everyone's. */
export type Tally = Scene['tallies'][number]
/** A scene whose static part is only named: the receiver has it already. */
export type SceneByKey = Schemas['SceneByKey']
export type Difference = Schemas['SceneDifference']

interface ListChange<Item> {
  drop?: string[]
  put?: Item[]
  order?: string[]
}

/** The new scene from the previous one and what the server sent: a difference, or a scene of its own. */
export function applyDifference(previous: Scene, update: Difference | Scene | SceneByKey): Scene {
  if (!('changes' in update)) return withStatic(update, previous.static)
  const { changes, hit_changes, static: _, ...words } = update
  const layers = previous.layers.map(({ name, shapes }) => ({ name, shapes: changed(shapes, changes[name] ?? {}) }))
  return { ...previous, ...words, layers, hits: changed(previous.hits, hit_changes) }
}

/** Fills in the static part where the server only named it; throws where it is another one. */
export function withStatic(scene: Scene | SceneByKey, known: Static | null): Scene {
  if (typeof scene.static !== 'string') return scene as Scene
  if (known?.key !== scene.static) throw new Error(`the board ${scene.static} is not known here`)
  return { ...scene, static: known }
}

function changed<Item extends { id?: string }>(items: Item[], change: ListChange<Item>): Item[] {
  const byId = new Map(items.map((item) => [item.id ?? '', item]))
  for (const id of change.drop ?? []) byId.delete(id)
  for (const item of change.put ?? []) byId.set(item.id ?? '', item)
  if (!change.order) return [...byId.values()]
  return change.order.flatMap((id) => byId.get(id) ?? [])
}

export function inLanguage(label: Label, language: Language): string {
  return typeof label === 'string' ? label : label[language]
}

/** All shapes that carry an id, in painting order. */
export function shapesById(scene: Scene, isMeant: (shape: Shape, layer: string) => boolean = () => true): Map<string, Shape> {
  const found = new Map<string, Shape>()
  for (const { name, shapes } of [...scene.static.layers, ...scene.layers])
    for (const shape of shapes) if (shape.id && isMeant(shape, name)) found.set(shape.id, shape)
  return found
}

/** Shapes by which a scene says whose turn it is, what there is to do, or how the game ended. */
const NEWS = /^(turn(-.+)?|headline|detail|remark)$/

/** The scene without its news: beside a board that is played on, one status line tells them. */
export function withoutNews(scene: Scene): Scene {
  const isNews = ({ id }: Shape) => NEWS.test(id ?? '')
  if (!scene.layers.some(({ shapes }) => shapes.some(isNews))) return scene
  const layers = scene.layers.map(({ name, shapes }) => ({ name, shapes: shapes.filter((shape) => !isNews(shape)) }))
  return { ...scene, layers }
}

export interface Piece {
  symbol: string
  /** What the piece is called where it stands beside the board, such as its colour. */
  name: Label
}

/** A piece of the seat, to know it by; a swap of colours changes it. */
export function pieceOf({ layers }: Scene, seat: number): Piece | null {
  const isOurs = ({ classes }: Shape) => classes?.split(' ').includes(`seat-${seat}`)
  const found = layers.flatMap(({ name, shapes }) =>
    shapes.flatMap((shape) => (shape.kind === 'use' && isOurs(shape) && !NEWS.test(shape.id ?? '') ? [{ name, shape }] : [])),
  )
  const beside = found.find(({ name }) => name === 'margin')
  const piece = beside ?? found[0]
  return piece ? { symbol: piece.shape.symbol, name: beside?.shape.label ?? '' } : null
}

/** Ids of the places of the board: what is always there and has a name. */
export function cellsOf({ layers }: Static): Set<string> {
  return new Set(layers.flatMap(({ shapes }) => shapes.flatMap(({ id, label }) => (id && label ? [id] : []))))
}
