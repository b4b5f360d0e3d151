// Paints scenes into an <svg>: the static part once, then only what differs, matched by id.

import { boxOf, centreOf, isInBox, isOnBoard, joined } from './geometry'
import { hasFallen, isDie, isInHand, MOVE_MS, ROLL_MS, STEP_MS, wayOf } from './motion'
import { inLanguage, type Box, type Language, type Layer, type Scene, type Shape, type Static } from './scene'

const SVG = 'http://www.w3.org/2000/svg'
const FADE_MS = 140
/** Scenes give the height of capitals; in most system fonts that is this part of the font size. */
const CAP_HEIGHT = 0.72

/** Around what stands on a plate; what belongs together then shares one. */
const [ROOM_BESIDE, ROOM_ABOVE] = [24, 10]

let painters = 0

interface Painted {
  shape: Shape
  element: SVGElement
}

export class Painter {
  /** The part that zooms; the margin around it does not. */
  readonly focus = create('svg', { overflow: 'hidden', 'data-part': 'focus' }) as SVGSVGElement
  /** For marks of the page itself (cursor, selection, hint), above the pieces. */
  readonly overlay = create('g', { 'data-part': 'overlay', 'aria-hidden': 'true' })

  private readonly prefix = `symbol-${painters++}-`
  private readonly definitions = create('defs')
  private readonly ground = create('g', { 'data-part': 'ground' })
  private readonly cells = create('g', { 'data-part': 'cells' })
  private readonly inside = create('g', { 'data-part': 'position' })
  private readonly plates = create('g', { 'data-part': 'plates' })
  private readonly margin = create('g', { 'data-part': 'margin' })
  private readonly staticElements = new Map<string, Painted>()
  private readonly painted = new Map<string, Painted>()
  private shown: Static | null = null
  private language: Language = 'en'
  private carried: string | null = null

  constructor(root: SVGSVGElement) {
    this.focus.append(this.cells, this.inside, this.overlay)
    root.append(this.definitions, this.ground, this.focus, this.plates, this.margin)
  }

  /** Ids are unique within the board, not within the page: this is the element's own id. */
  element(id: string): SVGElement | undefined {
    return (this.painted.get(id) ?? this.staticElements.get(id))?.element
  }

  /** Marks of the page over the board, by name; the shapes of the same name before them go away. */
  mark(name: string, shapes: Shape[]): void {
    const group = layerGroup(this.overlay, name)
    group.replaceChildren(...shapes.map(({ id: _, label: __, ...shape }) => this.drawn(shape as Shape)))
  }

  /** A die in the hand is shaken until it is thrown. */
  shake(id: string): Animation | undefined {
    return this.animated(id, [atRest, (shape) => around(shape, 0.05, 'rotate(-10deg)'), atRest, (shape) => around(shape, 0.05, 'rotate(10deg)'), atRest], 600, 100)
  }

  /** Pieces of a seat that has won. */
  rejoice(id: string): Animation | undefined {
    return this.animated(id, [atRest, (shape) => around(shape, 0.1, 'scale(1.12)'), atRest], 450, 4)
  }

  private animated(id: string, frames: ((shape: Shape) => string)[], duration: number, iterations: number): Animation | undefined {
    const found = this.painted.get(id)
    return found?.element.animate(frames.map((frame) => ({ transform: frame(found.shape), easing: 'ease-in-out' })), { duration, iterations })
  }

  /** Plates under what the margin shows within `over`, so that it can be read there; null takes them away. */
  putPlates(over: Box | null): Box[] {
    const shown = over ? [...this.margin.querySelectorAll<SVGGraphicsElement>('[data-id]')].map((one) => one.getBBox()) : []
    const inside = shown.filter(({ x, y, width, height }) => over && isInBox([x + width / 2, y + height / 2], over))
    const around = ({ x, y, width, height }: DOMRect): Box => [
      x - ROOM_BESIDE,
      y - ROOM_ABOVE,
      width + 2 * ROOM_BESIDE,
      height + 2 * ROOM_ABOVE,
    ]
    const boxes = joined(inside.map(around))
    const plate = ([x, y, width, height]: Box) => create('rect', { class: 'plate', x, y, width, height, rx: 10 })
    this.plates.replaceChildren(...boxes.map(plate))
    return boxes
  }

  /** `carried` is a piece that was dragged to its place: it is there already. */
  paint(scene: Scene, language: Language, animated: boolean, carried: string | null = null): void {
    this.carried = carried
    const sameBoard = this.shown?.key === scene.static.key && this.language === language
    if (!sameBoard) this.paintStatic(scene.static, language)
    const kept = new Set<string>()
    for (const layer of scene.layers) this.paintLayer(layer, scene.static, kept, animated && sameBoard)
    for (const [id, { element, shape }] of this.painted) {
      if (kept.has(id)) continue
      this.painted.delete(id)
      if (animated && sameBoard && shape.kind === 'use') fadeOut(element)
      else element.remove()
    }
  }

  private paintStatic(part: Static, language: Language): void {
    this.shown = part
    this.language = language
    const [x, y, width, height] = part.focus
    setAll(this.focus, { x, y, width, height })
    const symbols = part.symbols.map(({ name, shapes }) => {
      const symbol = create('symbol', { id: this.prefix + name, viewBox: '0 0 100 100' })
      // What is used elsewhere forgets its ancestors: the theme's rules need one of their own in the symbol.
      const content = create('g', { class: 'scene' })
      content.append(...shapes.map((shape) => this.drawn(shape)))
      symbol.append(content)
      return symbol
    })
    this.definitions.replaceChildren(...symbols)
    for (const group of [this.ground, this.cells, this.inside, this.margin]) group.replaceChildren()
    this.staticElements.clear()
    this.painted.clear()
    for (const { name, shapes } of part.layers)
      for (const shape of shapes) {
        const element = this.drawn(shape)
        const group = isOnBoard(shape, name, part.focus) ? this.cells : this.ground
        group.append(element)
        if (shape.id) this.staticElements.set(shape.id, { shape, element })
      }
  }

  private paintLayer(layer: Layer, part: Static, kept: Set<string>, animated: boolean): void {
    const groups = [this.inside, this.margin].map((parent) => layerGroup(parent, layer.name))
    const next = groups.map((group) => group.firstElementChild)
    for (const shape of layer.shapes) {
      const id = shape.id ?? ''
      kept.add(id)
      const side = isOnBoard(shape, layer.name, part.focus) ? 0 : 1
      const element = this.put(id, shape, groups[side]!, animated)
      if (next[side] === element) next[side] = element.nextElementSibling
      else groups[side]!.insertBefore(element, next[side] ?? null)
    }
  }

  private put(id: string, shape: Shape, group: Element, animated: boolean): SVGElement {
    const before = this.painted.get(id)
    if (before?.shape.kind !== shape.kind || before.element.parentNode !== group) {
      before?.element.remove()
      const element = this.drawn(shape)
      this.painted.set(id, { shape, element })
      if (animated && shape.kind === 'use') appear(element, shape)
      return element
    }
    if (before.shape !== shape && JSON.stringify(before.shape) !== JSON.stringify(shape)) {
      this.dress(before.element, shape)
      if (animated && id !== this.carried) move(before.element, before.shape, shape)
    }
    before.shape = shape
    return before.element
  }

  private drawn(shape: Shape): SVGElement {
    const element = create(shape.kind)
    this.dress(element, shape)
    return element
  }

  private dress(element: SVGElement, shape: Shape): void {
    setAll(element, this.geometry(shape))
    const classes = shape.kind === 'text' ? `text ${shape.classes ?? ''}`.trim() : shape.classes
    toggle(element, 'class', classes)
    toggle(element, 'data-id', shape.id)
    toggle(element, 'id', shape.id && `${this.prefix}shape-${shape.id}`)
    const label = shape.label && inLanguage(shape.label, this.language)
    toggle(element, 'role', label && shape.kind !== 'text' ? 'img' : undefined)
    toggle(element, 'aria-label', shape.kind === 'text' ? undefined : label)
    // Coordinates and the margin's words are said by cells, summary and live region.
    toggle(element, 'aria-hidden', shape.kind === 'text' ? 'true' : undefined)
    if (shape.kind === 'text') element.textContent = inLanguage(shape.content, this.language)
  }

  private geometry(shape: Shape): Record<string, string | number> {
    switch (shape.kind) {
      case 'rect':
        return { x: shape.x, y: shape.y, width: shape.width, height: shape.height, rx: shape.radius ?? 0 }
      case 'circle':
        return { cx: shape.x, cy: shape.y, r: shape.radius }
      case 'line':
        return { x1: shape.x1, y1: shape.y1, x2: shape.x2, y2: shape.y2 }
      case 'polygon':
        return { points: shape.points.map((point) => point.join(',')).join(' ') }
      case 'path':
        return { d: shape.d }
      case 'text':
        return { x: shape.x, y: shape.y, 'font-size': shape.size / CAP_HEIGHT, 'text-anchor': shape.anchor ?? 'start' }
      case 'use': {
        const [x, y] = [shape.x - shape.size / 2, shape.y - shape.size / 2]
        return { href: `#${this.prefix}${shape.symbol}`, x, y, width: shape.size, height: shape.size }
      }
    }
  }
}

function layerGroup(parent: Element, name: string): Element {
  const known = [...parent.children].find((child) => child.getAttribute('data-layer') === name)
  if (known) return known
  const group = create('g', { 'data-layer': name })
  parent.append(group)
  return group
}

function move(element: SVGElement, before: Shape, after: Shape): void {
  if (isDie(after) && hasFallen(before, after)) return roll(element, after)
  if (after.kind !== 'use' && after.kind !== 'circle') return
  const [[fromX, fromY], [toX, toY]] = [centreOf(before), centreOf(after)]
  if (fromX === toX && fromY === toY) return
  const way = wayOf(after)
  if (way.length) return walk(element, way.map(([x, y]) => `translate(${x - toX}px, ${y - toY}px)`))
  const start = `translate(${fromX - toX}px, ${fromY - toY}px)`
  element.animate([{ transform: start }, { transform: 'none' }], { duration: MOVE_MS, easing: 'ease-out' })
}

/** One place after the other, a moment on each. */
function walk(element: SVGElement, places: string[]): void {
  const frames = [...places.slice(0, -1), 'none'].map((transform) => ({ transform, easing: 'ease-in-out' }))
  element.animate(frames, { duration: STEP_MS * (frames.length - 1) })
}

function appear(element: SVGElement, shape: Shape): void {
  if (isDie(shape) && !isInHand(shape)) roll(element, shape)
  else element.animate([{ opacity: 0 }, { opacity: 1 }], FADE_MS)
}

function fadeOut(element: SVGElement): void {
  element.removeAttribute('id')
  element.animate([{ opacity: 1 }, { opacity: 0 }], FADE_MS).onfinish = () => element.remove()
}

/** A motion around a shape's own middle; `rise` is in parts of its height. */
function around(shape: Shape, rise: number, motion: string): string {
  const [x, y] = centreOf(shape)
  const height = boxOf(shape)[3]
  return `translate(${x}px, ${y - rise * height}px) ${motion} translate(${-x}px, ${-y}px)`
}

const atRest = (shape: Shape) => around(shape, 0, '')

function roll(element: SVGElement, shape: Shape): void {
  const turns = [
    { transform: around(shape, 0.9, 'rotate(-620deg) scale(0.7)') },
    { transform: around(shape, -0.12, 'rotate(-200deg) scale(1.15)'), offset: 0.45 },
    { transform: around(shape, 0.18, 'rotate(-60deg) scale(1.05)'), offset: 0.7 },
    { transform: around(shape, 0, 'rotate(0deg)') },
  ]
  element.animate(turns, { duration: ROLL_MS, easing: 'ease-out' })
}

function create(name: string, attributes: Record<string, string | number> = {}): SVGElement {
  const element = document.createElementNS(SVG, name)
  setAll(element, attributes)
  return element
}

function setAll(element: Element, attributes: Record<string, string | number>): void {
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, String(value))
}

function toggle(element: Element, name: string, value: string | undefined): void {
  if (value) element.setAttribute(name, value)
  else element.removeAttribute(name)
}
