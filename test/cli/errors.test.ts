import { existsSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { visibleCommands } from '../../src/cli/manifest.ts'
import { apf, BIN, run } from '../support/cli.ts'

const SEE_SCHEMAS = '  → kubectl apf schemas --help\n'
const SEE_ALL = '  → kubectl apf --help\n'

describe('a wrong call exits with 2 and says what, why and what to do', () => {
  it.each([
    ['shcemas', `error: unknown command "shcemas"\n  did you mean schemas?\n${SEE_ALL}`],
    ['delete', `error: unknown command "delete"\n  there are ${visibleCommands().join(', ')}\n${SEE_ALL}`],
    ['help shcemas', `error: unknown command "shcemas"\n  did you mean schemas?\n${SEE_ALL}`],
    ['schemas --defualts=1.37', `error: unknown flag --defualts\n  did you mean --defaults?\n${SEE_SCHEMAS}`],
    ['schemas --method get', `error: unknown flag --method\n${SEE_SCHEMAS}`],
    ['schemas -x', `error: unknown flag -x\n${SEE_SCHEMAS}`],
    ['schemas extra', `error: unexpected argument: extra\n${SEE_SCHEMAS}`],
    ['schemas --defaults', 'error: flag needs a value: --defaults\n'],
    ['schemas -q=maybe', 'error: -q takes true or false, not "maybe"\n'],
    ['schemas -o jsn', `error: expected --output=jsn to be one of: table, wide, json, yaml, name\n${SEE_SCHEMAS}`],
    ['-q', `error: no command in front of --quiet\n${SEE_ALL}`],
  ])('%s', async (line, stderr) => {
    expect(await apf(line.split(' '))).toEqual({ code: 2, stdout: '', stderr })
  })

  it('escapes what the caller typed', async () => {
    const { code, stderr } = await apf(['\x1b[2J\u202e'])
    expect(code).toBe(2)
    expect(stderr).toContain('error: unknown command "\\u001b[2J\\u{202e}"')
  })

  it.each([
    ['always', '\x1b[31merror:\x1b[39m unexpected'],
    ['never', 'error: unexpected'],
  ])('--color=%s', async (when, start) => {
    expect((await apf(['schemas', 'extra', `--color=${when}`])).stderr.startsWith(start)).toBe(true)
  })

  it('uses ASCII where the locale is not UTF-8', async () => {
    expect((await apf(['schemas', 'extra'], { env: { LANG: 'C' } })).stderr).toContain(
      '  -> kubectl apf schemas --help\n',
    )
  })
})

describe('an answer that cannot be written', () => {
  it.skipIf(!existsSync('/dev/full'))('exits with 3 and says why [needs /dev/full]', async () => {
    const { code, stderr } = await run('sh', ['-c', `'${BIN}' schemas --defaults 1.37 >/dev/full`])
    expect({ code, stderr }).toEqual({
      code: 3,
      stderr: 'error: the answer could not be written\n  ENOSPC: no space left on device, write\n',
    })
  })
})

describe('no configuration and no cluster', () => {
  it('is no answer: exit 3 and a way on', async () => {
    const { code, stdout, stderr } = await apf(['schemas'], { env: { HOME: '/nonexistent' } })
    expect([code, stdout]).toEqual([3, ''])
    expect(stderr).toMatch(/^error: .*\n {2}.*\n {2}→ .*--defaults 1\.37.*\n$/)
  })
})
