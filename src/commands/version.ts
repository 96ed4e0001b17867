import packageJson from '../../package.json' with { type: 'json' }
import { defineCommand } from '../cli/command.ts'
import { EXIT } from '../cli/errors.ts'

export default defineCommand({
  description: 'One line: name and version.',
  usage: ['version'],
  args: {},
  flags: {},
  examples: [{ says: 'The version, for a bug report', run: 'version' }],
  async run(_invocation, io) {
    await io.stdout.write(`${packageJson.name} ${packageJson.version}\n`)
    return EXIT.ok
  },
})
