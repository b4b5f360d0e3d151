// A scene as it arrives from the server; `spielwerk.render.scene` in Python is where it is defined.

export type Language = 'en' | 'de'
/** One text, or one for each language where they differ. */
export type Label = string | Record<Language, string>
export type Box = readonly [x: number, y: number, width: number, height: number]
export type Point = readonly [x: number, y: number]

interface Common {
  id?: string
  classes?: string
  label?: Label
}
export type Rect = Common & { kind: 'rect'; x: number; y: number; width: number; height: number; radius?: number }
export type Circle = Common & { kind: 'circle'; x: number; y: number; radius: number }
export type Line = Common & { kind: 'line'; x1: number; y1: number; x2: number; y2: number }
export type Polygon = Common & { kind: 'polygon'; points: Point[] }
export type Path = Common & { kind: 'path'; d: string }
export type Text = Common & {
  kind: 'text'
  x: number
  y: number
  size: number
  content: Label
  anchor?: 'start' | 'middle' | 'end'
}
export type Use = Common & { kind: 'use'; symbol: string; x: number; y: number; size: number }
export type Shape = Rect | Circle | Line | Polygon | Path | Text | Use

export interface Layer {
  name: string
  shapes: Shape[]
}
export interface Hit {
  id: string
  area: string
  action: string
  label: Label
  source?: string
}
export interface Static {
  key: string
  game: string
  view: Box
  focus: Box
  layers: Layer[]
  symbols: { name: string; shapes: Shape[] }[]
}
export interface Scene {
  version: number
  static: Static
  title: Label
  summary: Label
  layers: Layer[]
  hits: Hit[]
}
/** A scene whose static part is only named: the receiver has it already. */
export type SceneByKey = Omit<Scene, 'static'> & { static: string }

interface ListChange<Item> {
  drop?: string[]
  put?: Item[]
  order?: string[]
}
export interface Difference {
  version: number
  static: string
  title: Label
  summary: Label
  changes: Record<string, ListChange<Shape>>
  hit_changes: ListChange<Hit>
}

/** The new scene from the previous one and what the server sent: a difference, or a scene of its own. */
export function applyDifference(previous: Scene, news: Difference | Scene | SceneByKey): Scene {
  if (!('changes' in news)) return withStatic(news, previous.static)
  const layers = previous.layers.map(({ name, shapes }) => ({ name, shapes: changed(shapes, news.changes[name] ?? {}) }))
  const hits = changed(previous.hits, news.hit_changes)
  return { ...previous, title: news.title, summary: news.summary, layers, hits }
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

/** Whose turn it is or who won, in the scene's words. */
export function headlineOf(scene: Scene): Label {
  return newsText(scene, 'headline')
}

/** What there is to do, or how the game ended, and what else should be known. */
export function detailsOf(scene: Scene): Label[] {
  return ['detail', 'remark'].map((id) => newsText(scene, id)).filter((label) => label !== '')
}

function newsText({ layers }: Scene, wanted: string): Label {
  const text = layers.flatMap(({ shapes }) => shapes).find(({ id }) => id === wanted)
  return text?.kind === 'text' ? text.content : ''
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
