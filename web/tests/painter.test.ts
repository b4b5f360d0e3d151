import { beforeEach, describe, expect, it, vi } from 'vitest'
import { Painter } from '../src/board/painter'
import { applyDifference, shapesById, type Difference, type Scene } from '../src/board/scene'
import { turned } from '../src/board/geometry'
import fixture from './differences.json'

const first = fixture.first as unknown as Scene
const scenes = fixture.steps.reduce(
  (all, { difference }) => [...all, applyDifference(all.at(-1)!, difference as unknown as Difference)],
  [first],
)

let root: SVGSVGElement
let painter: Painter
const animate = vi.fn(() => ({ onfinish: null }) as unknown as Animation)

beforeEach(() => {
  root = document.createElementNS('http://www.w3.org/2000/svg', 'svg')
  painter = new Painter(root)
  animate.mockClear()
  Element.prototype.animate = animate
})

function painted(within: Element): string[] {
  return [...within.querySelectorAll('[data-id]')].map((element) => element.getAttribute('data-id')!)
}

describe('the painter', () => {
  it('shows every shape of every scene once, however it got there', () => {
    for (const scene of scenes) {
      painter.paint(scene, 'en', false)
      expect(painted(root).sort()).toEqual([...shapesById(scene).keys()].sort())
    }
  })

  it('keeps the order of shapes within their layers', () => {
    for (const scene of scenes) painter.paint(scene, 'en', false)
    for (const { name, shapes } of scenes.at(-1)!.layers) {
      const groups = [...root.querySelectorAll(`[data-layer=${name}]`)]
      expect(groups.flatMap(painted).sort()).toEqual(shapes.map(({ id }) => id).sort())
    }
  })

  it('keeps the static part and the elements that stay', () => {
    painter.paint(scenes[0]!, 'en', false)
    const [cell, horse] = [painter.element('cell-a1'), painter.element('horse-0')]
    painter.paint(scenes[1]!, 'en', true)
    expect(painter.element('cell-a1')).toBe(cell)
    expect(painter.element('horse-0')).toBe(horse)
  })

  it('moves pieces from where they were, in less than 200 ms', () => {
    painter.paint(scenes[0]!, 'en', true)
    expect(animate).not.toHaveBeenCalled()
    painter.paint(scenes[1]!, 'en', true)
    const moves = animate.mock.calls as unknown as [Keyframe[], KeyframeAnimationOptions | number][]
    const durations = moves.map(([, options]) => (typeof options === 'number' ? options : Number(options.duration)))
    expect(moves.some(([frames]) => String(frames[0]!.transform).startsWith('translate('))).toBe(true)
    expect(Math.max(...durations)).toBeLessThan(200)
  })

  it('moves nothing when no motion is wanted, nor a piece that was carried there', () => {
    painter.paint(scenes[0]!, 'en', false)
    painter.paint(scenes[1]!, 'en', false)
    expect(animate).not.toHaveBeenCalled()
    painter.paint(scenes[0]!, 'en', true)
    const usual = animate.mock.calls.length
    painter.paint(scenes[1]!, 'en', true, 'horse-0')
    expect(animate.mock.calls.length - usual).toBe(usual - 1)
  })

  it('says labels in the chosen language', () => {
    painter.paint(first, 'de', false)
    expect(painter.element('horse-0')!.getAttribute('aria-label')).toBe('Weißes Pferd auf a4')
    painter.paint(first, 'en', false)
    expect(painter.element('horse-0')!.getAttribute('aria-label')).toBe('White horse on a4')
  })

  it('paints a turned board again', () => {
    painter.paint(first, 'en', false)
    const before = painter.element('cell-a4')!.getAttribute('x')
    painter.paint(turned(first, 2), 'en', false)
    expect(painter.element('cell-a4')!.getAttribute('x')).not.toBe(before)
  })

  it('needs no inline style, which the content security policy forbids', () => {
    for (const scene of scenes) painter.paint(scene, 'en', true)
    expect(root.querySelectorAll('[style], style').length).toBe(0)
  })
})
