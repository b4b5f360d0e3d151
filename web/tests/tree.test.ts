import { describe, expect, it } from 'vitest'
import { branchOf, endOf, lineFrom, newNode, nextSibling, pathTo, played, promote, remove, treeOf, type Node } from '../src/lab/tree'

function along(node: Node, ...actions: string[]): Node {
  return actions.reduce((at, action) => played(at, action), node)
}

const RECORD = {
  spielwerk: 1,
  game: 'pferdeaepfel/trail',
  actions: ['b1', 'b3', 'c3'],
  comments: { 0: 'the start', 2: 'so far' },
  variations: {
    1: [{ actions: ['c2', 'a2'], comments: { 2: 'there' }, variations: { 2: [{ actions: ['b3', 'a1'] }] } }],
    4: [{ actions: ['a1'] }],
  },
}

describe('a tree', () => {
  it('holds a move once', () => {
    const root = newNode()
    expect(along(root, 'a', 'b')).toBe(along(root, 'a', 'b'))
    expect(root.children).toHaveLength(1)
    expect(pathTo(along(root, 'a', 'c'))).toEqual(['a', 'c'])
  })

  it('is read from a record and becomes the same record again', () => {
    const root = treeOf(RECORD)
    expect(pathTo(endOf(root))).toEqual(['b1', 'b3', 'c3', 'a1'])
    const { actions, comments, variations } = RECORD
    expect(JSON.parse(JSON.stringify(lineFrom(root, 3)))).toEqual(JSON.parse(JSON.stringify({ actions, comments, variations })))
  })

  it('makes one line of what goes on after the end, where nothing says that the game ended', () => {
    expect(lineFrom(treeOf(RECORD)).actions).toEqual(['b1', 'b3', 'c3', 'a1'])
  })

  it('promotes a variation, the innermost first', () => {
    const root = newNode()
    along(root, 'a', 'b', 'c')
    const inner = along(root, 'a', 'x', 'y')
    const innermost = along(root, 'a', 'x', 'z')
    expect(branchOf(inner)?.action).toBe('x')
    promote(innermost)
    expect(lineFrom(root).actions).toEqual(['a', 'b', 'c'])
    promote(innermost)
    expect(lineFrom(root)).toEqual({ actions: ['a', 'x', 'z'], variations: { 2: [{ actions: ['b', 'c'] }], 3: [{ actions: ['y'] }] } })
    promote(innermost)
    expect(branchOf(innermost)).toBeNull()
  })

  it('deletes a move with all that follows', () => {
    const root = newNode()
    const gone = along(root, 'a', 'b')
    along(gone, 'c')
    expect(pathTo(remove(gone))).toEqual(['a'])
    expect(lineFrom(root)).toEqual({ actions: ['a'] })
    expect(remove(root)).toBe(root)
  })

  it('goes round the variations of a move', () => {
    const root = newNode()
    const [first, second] = [played(root, 'a'), played(root, 'b')]
    expect(nextSibling(first)).toBe(second)
    expect(nextSibling(second)).toBe(first)
    expect(nextSibling(root)).toBe(root)
  })
})
