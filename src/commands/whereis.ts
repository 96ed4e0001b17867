import * as Args from '@oclif/core/args'
import { defineCommand } from '../cli/command.ts'
import { CliError, EXIT } from '../cli/errors.ts'
import {
  capacityFlags,
  namespaceFlags,
  outputFlag,
  outputFlags,
  requestFlags,
  sourceFlags,
  subjectFlags,
} from '../cli/flags.ts'

const REPORTER = '--as=system:serviceaccount:shop:reporter'

export default defineCommand({
  description:
    'The request is classified as the API server does it. Without a request the answer is everything that the subject can\n' +
    'reach. --as and --as-group name the subject in question; groups follow from the name unless they are given.',
  usage: [
    'whereis VERB RESOURCE[.GROUP][/SUBRESOURCE] [NAME] [-n NAMESPACE | -A] [--as USER] [flags]',
    'whereis VERB /PATH [flags]',
    'whereis --url URL [--method METHOD] [flags]',
    'whereis --requests FILE [flags]',
    'whereis --as USER [flags]',
  ],
  args: {
    verb: Args.string({
      ignoreStdin: true,
      description: 'verb of the API (get, list, watch, create …) or of kubectl (logs, apply …)',
    }),
    target: Args.string({
      ignoreStdin: true,
      description: 'resource, such as pods, deploy, pods/log, leases.coordination.k8s.io; or /path',
    }),
    name: Args.string({ ignoreStdin: true, description: 'name of the object' }),
  },
  extraWords: true,
  flags: {
    output: outputFlag(['table', 'wide', 'json', 'yaml', 'name', 'jsonl']),
    ...outputFlags,
    ...requestFlags,
    ...namespaceFlags,
    ...subjectFlags,
    ...sourceFlags,
    ...capacityFlags,
  },
  examples: [
    {
      says: 'A ServiceAccount lists pods; no cluster needed',
      run: `whereis list pods -n shop ${REPORTER} --defaults 1.37`,
    },
    {
      says: 'The same with objects of your own',
      run: `whereis list pods -n shop ${REPORTER} --from examples/shop.yaml --defaults 1.37`,
    },
    { says: 'A path that is no resource', run: 'whereis get /healthz --as=jane --defaults 1.37' },
    {
      says: 'A URL from a log',
      run: "whereis --url 'https://10.0.0.1:6443/api/v1/pods?watch=true' --as=jane --defaults 1.37",
    },
    { says: 'Everything that one subject can reach', run: `whereis ${REPORTER} --defaults 1.37` },
    {
      says: 'Many requests at once, for a program',
      run: 'whereis --requests examples/requests.jsonl --defaults 1.37 -o jsonl',
    },
  ],
  async run() {
    throw new CliError({ exitCode: EXIT.unanswered, what: 'whereis has no answer yet' })
  },
})
