import { describe, expect, it } from 'vitest'
import { manifest, visibleCommands } from '../../src/cli/manifest.ts'
import { apf, ROOT, run } from '../support/cli.ts'

const PROMPT = '    $ kubectl apf '

/** The command lines of a help text as they stand there; a line that ends in a backslash goes on. */
function examples(help: string): string[] {
  const lines = help.replaceAll(/ \\\n */g, ' ').split('\n')
  return lines.filter((line) => line.startsWith(PROMPT)).map((line) => line.slice(PROMPT.length))
}

/** Read by a shell at the root of the repository, where there is no cluster. */
function runExample(line: string) {
  const env = { PATH: `${ROOT}bin:${process.env['PATH'] ?? ''}`, HOME: '/nonexistent' }
  return run('sh', ['-c', `kubectl-apf ${line}`], { env })
}

describe.each(visibleCommands())('examples of %s', async (command) => {
  const lines = examples((await apf(['help', command])).stdout)
  const needCluster = (await manifest[command].load()).default.examples
    .filter(({ needs }) => needs === 'cluster')
    .map(({ run }) => run)

  it('exist', () => expect(lines).not.toEqual([]))

  it.each(lines.filter((line) => !needCluster.includes(line)))('%s', async (line) => {
    const { code, stdout, stderr } = await runExample(line)
    expect({ code, stderr }).toMatchObject({ code: 0 })
    expect(stdout).not.toBe('')
  })

  it.each(needCluster)('%s: is understood, and needs a cluster', async (line) => {
    expect(lines).toContain(line)
    expect(await runExample(line)).toMatchObject({ code: 3, stderr: expect.stringContaining('no cluster to ask') })
  })
})
