import { describe, expect, it } from 'vitest'
import { visibleCommands } from '../../src/cli/manifest.ts'
import { ROOT, run } from '../support/cli.ts'

/** What kubectl gets for the words behind `kubectl apf`, the last of them being typed. */
async function complete(...words: string[]): Promise<string[]> {
  const { code, stdout, stderr } = await run(`${ROOT}bin/kubectl_complete-apf`, words)
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  return stdout.trimEnd().split('\n')
}

const words = (lines: string[]) => lines.map((line) => line.split('\t')[0])

describe('completion', () => {
  it('offers the commands with what they do', async () => {
    const lines = await complete('')
    expect(words(lines)).toEqual([...visibleCommands(), ':4'])
    expect(lines).toContain('version\tPrint the version of this program')
  })

  it('offers what begins as typed', async () => expect(words(await complete('sch'))).toEqual(['schemas', ':4']))

  it('offers the flags of the command', async () => {
    expect(words(await complete('schemas', '--no'))).toEqual(['--no-headers', ':4'])
  })

  it.each([
    [
      ['schemas', '-o', 'j'],
      ['json', ':4'],
    ],
    [
      ['schemas', '--output', 'y'],
      ['yaml', ':4'],
    ],
    [
      ['schemas', '--output=w'],
      ['--output=wide', ':4'],
    ],
    [
      ['schemas', '--defaults', '1.3'],
      ['1.37', '1.36', '1.35', '1.34', '1.33', '1.32', '1.31', '1.30', ':4'],
    ],
    [
      ['schemas', '--defaults=1.20'],
      ['--defaults=1.20', ':4'],
    ],
    [
      ['--defaults', '1.37', 'schemas', '--color', ''],
      ['auto', 'always', 'never', ':4'],
    ],
  ])('%j: offers the values of a flag', async (typed, offered) => {
    expect(words(await complete(...typed))).toEqual(offered)
  })

  it.each([[['schemas', '--from', 'ex']], [['lint', 'ex']], [['lint', '--config', '']]])(
    '%j: leaves file names to the shell',
    async (typed) => expect(await complete(...typed)).toEqual([':0']),
  )

  it('offers what can be explained', async () => {
    expect(words(await complete('explain', 'APF20'))).toContain('APF201')
    expect(words(await complete('explain', 'sea'))).toEqual(['seat', ':4'])
  })

  it.each([[['nothing-like-it', '']], [['schemas', '--', '']], [['--']]])('%j: offers nothing', async (typed) => {
    expect(await complete(...typed)).toEqual([':4'])
  })
})
