import { describe, expect, it } from 'vitest'
import { visibleCommands } from '../../src/cli/manifest.ts'
import { apf, ROOT, run } from '../support/cli.ts'

const PROMPT = '    $ kubectl apf '

/** The command lines of a help text as they stand there; a line that ends in a backslash goes on. */
function examples(help: string): string[] {
  const lines = help.replaceAll(/ \\\n */g, ' ').split('\n')
  return lines.filter((line) => line.startsWith(PROMPT)).map((line) => line.slice(PROMPT.length))
}

/** Every example runs at the root of the repository, read by a shell, with exit code 0 and something to show. */
describe.each(visibleCommands())('examples of %s', async (command) => {
  const lines = examples((await apf(['help', command])).stdout)

  it('exist', () => expect(lines).not.toEqual([]))

  it.each(lines)('%s', async (line) => {
    const PATH = `${ROOT}bin:${process.env['PATH'] ?? ''}`
    const { code, stdout, stderr } = await run('sh', ['-c', `kubectl-apf ${line}`], { env: { PATH } })
    expect({ code, stderr }).toMatchObject({ code: 0 })
    expect(stdout).not.toBe('')
  })
})
