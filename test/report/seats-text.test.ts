import { describe, expect, it } from 'vitest'
import { accountOfObjects, type LevelAccount, type ServerAccount } from '../../src/analysis/seats.ts'
import { defaultObjects } from '../../src/apf/defaults/index.ts'
import { seatsNotes, unknownNotes } from '../../src/report/seats-text.ts'
import { versionRules } from '../support/versions.ts'

const RULES = versionRules('1.37')

/** A server of which every level has these readings. */
function serverWith(name: string, readings: Partial<LevelAccount>, more: Partial<ServerAccount> = {}): ServerAccount {
  const { priorityLevels } = defaultObjects(RULES)
  const levels = accountOfObjects(priorityLevels, null, RULES).map((level) => ({ ...level, ...readings }))
  return { name, mode: 'APF', limit: { value: null, source: null }, levels, round: null, unknown: [], ...more }
}

describe('several servers together', () => {
  // Each has eight levels.
  const told = serverWith('a', { executingRequests: 2, waitingRequests: 1, rejected: 0 })
  const untold = serverWith('b', { executingRequests: null, waitingRequests: null, rejected: 3 })

  it('are added up', () => {
    expect(seatsNotes({ servers: [told, { ...told, name: 'b' }], live: true })).toEqual([
      'Together 32 requests execute, 16 wait, 0 were refused since each server started.',
    ])
  })

  it('are added up only as far as each tells', () => {
    expect(seatsNotes({ servers: [told, untold], live: true })).toEqual([
      'Together at least 16 requests execute, at least 8 wait, 24 were refused since each server started.',
    ])
    expect(seatsNotes({ servers: [untold, untold], live: true })[0]).toContain('Together ? requests execute, ? wait')
  })
})

describe('what is not known', () => {
  it('names the limiter where the evidence contradicts itself', () => {
    const unknown = [{ field: 'mode', why: 'two say APF, one says NotAPF' }]
    expect(unknownNotes({ servers: [serverWith('a', {}, { mode: 'Unknown', unknown })], live: true })).toEqual([
      '? which limiter decides: two say APF, one says NotAPF',
    ])
  })
})
