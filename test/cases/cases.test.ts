import { readdirSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { isCommandName } from '../../src/cli/manifest.ts'
import { apf, ROOT } from '../support/cli.ts'
import { type Expectations, unmet } from './expectations.ts'

interface Case {
  title: string
  checks: Check[]
}

interface Check {
  args: string[]
  stdin: string | null
  exit: number | number[]
  expect: Expectations
}

const DATA = `${ROOT}test/cases/data/`

/**
 * Checks of commands that do not exist yet. A command that appears in the manifest runs its checks and leaves this table;
 * a count that no longer holds fails.
 */
const WAITING: Record<string, number> = {}

const cases = readdirSync(DATA, { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map(({ name }) => {
    const { title, checks }: Case = JSON.parse(readFileSync(`${DATA}${name}/case.json`, 'utf8'))
    return { folder: name, title, checks }
  })

const exists = ({ args }: Check) => args[0] !== undefined && isCommandName(args[0])

describe.each(cases.filter(({ checks }) => checks.some(exists)))('$folder: $title', ({ folder, checks }) => {
  const cwd = DATA + folder
  const named = checks.filter(exists).map((check) => [check.args.join(' '), check] as const)

  it.each(named)('%s', async (_, { args, stdin, exit, expect: expected }) => {
    const input = stdin === null ? {} : { stdin: readFileSync(`${cwd}/${stdin}`) }
    const { code, stdout, stderr } = await apf(args, { cwd, ...input })
    expect(unmet(expected, { stdout, stderr }), stderr).toEqual([])
    expect([exit].flat()).toContain(code)
  })
})

describe('checks that wait for their commands', () => {
  it('are counted', ({ task }) => {
    const waiting = cases.flatMap(({ checks }) => checks).filter((check) => !exists(check))
    const counts: Record<string, number> = {}
    for (const { args } of waiting) counts[args[0] ?? ''] = (counts[args[0] ?? ''] ?? 0) + 1
    // The last lines of a run show it.
    task.meta.waiting = `${waiting.length} checks of cases (${inWords(counts)})`
    expect(counts).toEqual(WAITING)
  })
})

function inWords(counts: Record<string, number>): string {
  return Object.entries(counts)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([command, count]) => `${command} ${count}`)
    .join(', ')
}

declare module 'vitest' {
  interface TaskMeta {
    waiting?: string
  }
}
