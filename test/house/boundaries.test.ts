import { copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ROOT, run } from '../support/cli.ts'

/** Imports that the house forbids or allows, by the file that has them. */
const cases: [file: string, imported: string, allowed: boolean][] = [
  ['src/apf/a.ts', './text.ts', true],
  ['src/apf/defaults/a.ts', '../text.ts', true],
  ['src/apf/a.ts', '../regions/box.ts', false],
  ['src/apf/defaults/a.ts', '../../sources/open.ts', false],
  ['src/apf/a.ts', 'node:fs', false],
  ['src/apf/a.ts', 'crypto', false],
  ['src/apf/a.ts', 'yaml', false],
  ['src/apf/a.ts', '@oclif/core/flags', false],
  ['src/regions/a.ts', '../apf/text.ts', true],
  ['src/regions/a.ts', '../analysis/who.ts', false],
  ['src/regions/a.ts', 'node:path', false],
  ['src/analysis/a.ts', '../regions/box.ts', true],
  ['src/analysis/a.ts', '../sources/open.ts', false],
  ['src/analysis/a.ts', '../cli/io.ts', false],
  ['src/sources/a.ts', '../apf/decode.ts', true],
  ['src/sources/a.ts', 'node:fs', true],
  ['src/sources/live/a.ts', '../../report/document.ts', false],
  ['src/report/a.ts', '../ui/escape.ts', true],
  ['src/report/a.ts', '../sources/open.ts', false],
  ['src/ui/a.ts', '../sources/open.ts', false],
  ['src/commands/a.ts', '../sources/open.ts', true],
  ['src/commands/a.ts', './schemas.ts', false],
  ['src/cli/manifest.ts', '../commands/schemas.ts', true],
  ['src/cli/a.ts', '../commands/schemas.ts', false],
  ['src/analysis/a.ts', '../commands/schemas.ts', false],
]

describe('the import rules of biome.json', () => {
  const root = mkdtempSync(join(tmpdir(), 'boundaries-'))
  let report = ''

  beforeAll(async () => {
    copyFileSync(`${ROOT}biome.json`, join(root, 'biome.json'))
    for (const [index, [file, imported]] of cases.entries()) {
      const path = join(root, numbered(file, index))
      mkdirSync(dirname(path), { recursive: true })
      writeFileSync(path, `import { x } from '${imported}'\nexport const y = x\n`)
    }
    const { stdout, stderr } = await run(
      `${ROOT}node_modules/.bin/biome`,
      ['lint', '--colors=off', '--max-diagnostics=none'],
      { cwd: root },
    )
    report = stdout + stderr
  })
  afterAll(() => rmSync(root, { recursive: true }))

  it.each(cases.map((row, index) => [index, ...row] as const))('%i: %s, %s: %s', (index, file, _imported, allowed) => {
    const complaint = new RegExp(
      `^${numbered(file, index)}:\\S+ lint/(style/noRestrictedImports|correctness/noNodejsModules)`,
      'm',
    )
    expect(complaint.test(report)).toBe(!allowed)
  })
})

/** The manifest is the one file that may load commands, so its name stays. */
function numbered(file: string, index: number): string {
  return file.endsWith('manifest.ts') ? file : file.replace('a.ts', `a${index}.ts`)
}
