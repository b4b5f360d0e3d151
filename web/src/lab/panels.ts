// Curves of runs, put together into charts: one for each thing that was measured, with a line for each run and seat.

import type { Label } from '../board/scene'
import type { Curve, Run } from './api'

export interface ChartLine {
  key: string
  run: string
  seat: Label | null
  /** Colours tell runs apart where there are several, otherwise seats. */
  colour: number
  dash: number
  steps: number[]
  values: number[]
  promoted: boolean[]
}

export interface Panel {
  key: string
  kind: Curve['kind']
  name: string
  lines: ChartLine[]
}

const ORDER: Curve['kind'][] = ['anchor', 'evaluation', 'score', 'loss', 'length', 'rate']

export function panelsOf(chosen: { run: Run; curves: Curve[] }[]): Panel[] {
  const panels = new Map<string, Panel>()
  for (const [number, { run, curves }] of chosen.entries()) {
    for (const curve of curves) {
      const key = `${curve.kind} ${curve.name}`
      const panel = panels.get(key) ?? { key, kind: curve.kind, name: curve.name, lines: [] }
      panels.set(key, panel)
      panel.lines.push(lineOf(run, curve, number, chosen.length > 1))
    }
  }
  return [...panels.values()].sort((one, other) => ORDER.indexOf(one.kind) - ORDER.indexOf(other.kind))
}

function lineOf(run: Run, curve: Curve, number: number, isCompared: boolean): ChartLine {
  const seat = curve.seat ?? 0
  return {
    key: `${run.id} ${seat}`,
    run: isCompared ? run.name : '',
    seat: curve.seat === null ? null : (run.seats[seat] ?? String(seat + 1)),
    colour: isCompared ? number : seat,
    dash: seat,
    steps: curve.steps,
    values: curve.values,
    promoted: curve.promoted,
  }
}

/** The range that a chart shows: all of it for shares, otherwise from the lowest to the highest. */
export function rangeOf(lines: ChartLine[], isShare: boolean): [number, number] {
  if (isShare) return [0, 1]
  const values = lines.flatMap((line) => line.values)
  const [low, high] = [Math.min(...values), Math.max(...values)]
  return low === high ? [low - 1, high + 1] : [low, high]
}
