/** `test --init`: a file of expectations to begin with. */
import { firstCases } from '../../analysis/expectations/first-file.ts'
import { effectiveConfiguration } from '../../apf/order.ts'
import { EXIT, type ExitCode } from '../../cli/errors.ts'
import type { Io } from '../../cli/io.ts'
import { API_VERSION } from '../../report/contract.ts'
import { toYaml } from '../../report/document.ts'
import type { ClusterState } from '../../sources/cluster-state.ts'
import { escapeForTerminal } from '../../ui/escape.ts'

/** Prints a file with a case for each rule in force: where a request that it takes lands now. */
export async function printFirstFile(state: ClusterState, io: Io): Promise<ExitCode> {
  const configuration = effectiveConfiguration(state.flowSchemas, state.priorityLevels, state.rules)
  const cases = firstCases(configuration, state.rules)
  await io.stdout.write(header(state.source.text))
  await io.stdout.write(await toYaml({ apiVersion: API_VERSION, kind: 'Expectations', cases }))
  return EXIT.ok
}

function header(source: string): string {
  return [
    `# Where requests land in ${escapeForTerminal(source)}: a case for each rule that takes anything.`,
    '# Keep the cases that are promises, rename them after what is promised, and add what must never happen:',
    '#   - name: nobody of the shop is exempt',
    '#     forAll: {groups: [system:serviceaccounts:shop], requests: [{verbs: "*", resources: "*"}]}',
    '#     never: {priorityLevel: exempt}',
    '',
  ].join('\n')
}
