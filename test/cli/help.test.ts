import { describe, expect, it } from 'vitest'
import { visibleCommands } from '../../src/cli/manifest.ts'
import { apf } from '../support/cli.ts'

describe('help', () => {
  it.each([[[]], [['--help']], [['-h']], [['help']], [['help', 'help']], [['--']]])(
    '%j lists the commands',
    async (args) => {
      const { code, stdout, stderr } = await apf(args)
      expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
      for (const command of visibleCommands()) expect(stdout).toMatch(new RegExp(`^ {2}${command} +[A-Z]`, 'm'))
      expect(stdout).not.toContain('__complete')
    },
  )

  it.each(['schemas --help', 'schemas -h', '--help schemas', 'help schemas', 'schemas --defaults 1.37 --help'])(
    '%s explains one command',
    async (line) => {
      const { code, stdout, stderr } = await apf(line.split(' '))
      expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
      expect(stdout).toMatch(/^List the FlowSchemas/)
      for (const section of ['USAGE', 'OUTPUT FLAGS', 'SOURCE FLAGS', 'DESCRIPTION', 'EXAMPLES']) {
        expect(stdout).toContain(`\n${section}\n`)
      }
    },
  )

  it.each(visibleCommands())('%s fits into 100 columns', async (command) => {
    const { stdout } = await apf(['help', command])
    expect(stdout.split('\n').filter((line) => line.length > 100)).toEqual([])
  })
})
