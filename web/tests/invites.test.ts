import { beforeEach, expect, it } from 'vitest'
import { inviteIn, inviteLink, invitesOf, keepInvites, originForOthers } from '../src/table/invites'

beforeEach(() => localStorage.clear())

it('are still there when the tab was closed', () => {
  keepInvites('x', { '1': 'secret' })
  keepInvites('y', {})
  expect(invitesOf('x')).toEqual({ '1': 'secret' })
  expect(invitesOf('y')).toEqual({})
})

it('forget the oldest tables, not the newest', () => {
  for (let number = 0; number < 60; number++) keepInvites(`t${number}`, { '1': 'a' })
  expect(invitesOf('t0')).toEqual({})
  expect(invitesOf('t59')).toEqual({ '1': 'a' })
})

it('lead to an address that others can reach', () => {
  expect(originForOthers('http://127.0.0.1:8765', ['http://192.0.2.7:8765/'])).toBe('http://192.0.2.7:8765')
  expect(originForOthers('http://localhost:8765', [])).toBeNull()
  expect(originForOthers('http://[::1]:8765', [])).toBeNull()
  expect(originForOthers('https://play.example.org', [])).toBe('https://play.example.org')
  expect(inviteIn(new URL(inviteLink('http://h', 'x', 'a b')).hash)).toBe('a b')
})
