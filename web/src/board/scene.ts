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

/** Ids of the places of the board: what is always there and has a name. */
export function cellsOf({ layers }: Static): Set<string> {
  return new Set(layers.flatMap(({ shapes }) => shapes.flatMap(({ id, label }) => (id && label ? [id] : []))))
}
