import { BREADTHS } from '../analysis/breadth.ts'
import { defineCommand } from '../cli/command.ts'
import {
  auditFlags,
  configFlags,
  connectionFlags,
  outputFlag,
  outputFlags,
  reportFlags,
  sourceFlags,
  subjectFlags,
} from '../cli/flags.ts'
import { requireObjects, withState } from '../cli/source.ts'

const flags = {
  output: outputFlag([
    'table',
    'wide',
    'json',
    'yaml',
    'name',
    'markdown',
    'sarif',
    'junit',
    'github',
    'gitlab',
    'checkstyle',
  ]),
  ...outputFlags,
  ...auditFlags,
  ...reportFlags,
  ...configFlags,
  ...sourceFlags,
  ...subjectFlags,
  ...connectionFlags,
}

export default defineCommand({
  description:
    'Every rule that leads to an exempt level, with the subjects and requests that it really takes after the FlowSchemas ' +
    'before it; and every FlowSchema that takes nothing because its level is missing. On a live cluster also the ' +
    `ServiceAccounts that exist, what runs as them, and who is executing there now. Breadths, from narrow to broad: ${BREADTHS.join(', ')}. ` +
    'A cluster-admin binding exempts nobody and is not looked at.',
  usage: ['audit-exempt [--context NAME | --defaults MINOR | --from PATH...] [flags]'],
  args: {},
  flags,
  examples: [
    { says: 'Who is exempt on the cluster of the current context', run: 'audit-exempt', needs: 'cluster' },
    {
      says: 'A gate for objects that are not applied yet: nothing of ours may be exempt',
      run: 'audit-exempt --from examples/shop.yaml --defaults 1.37 --budget 0',
    },
    {
      says: 'At most all ServiceAccounts of a namespace, and only those named',
      run: 'audit-exempt --from examples/shop.yaml --defaults 1.37 --max-breadth namespace --allow sa:shop/reporter',
    },
    {
      says: 'FlowSchemas whose level does not exist, and where their requests land instead',
      run: 'audit-exempt --from examples/shop.yaml --defaults 1.37 --only dangling',
    },
    {
      says: 'For code scanning, and for people besides',
      run: 'audit-exempt --from examples/shop.yaml --defaults 1.37 --budget 0 --report sarif=/dev/null -o markdown',
    },
    { says: 'What is exempt for one user', run: 'audit-exempt --defaults 1.37 --as=jane' },
  ],
  run: ({ flags }, io) =>
    withState(flags, { impersonation: null, readsStdin: false }, io, async (state) => {
      requireObjects(state)
      const { answerAudit } = await import('./audit-exempt/answer.ts')
      return answerAudit(state, flags, io)
    }),
})
