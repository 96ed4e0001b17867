import { defineCommand } from '../cli/command.ts'
import {
  connectionFlags,
  explain429Flags,
  impersonationFlags,
  outputFlag,
  outputFlags,
  requestFlags,
  serverFlags,
  sourceFlags,
} from '../cli/flags.ts'

const flags = {
  output: outputFlag(['table', 'wide', 'json', 'jsonl', 'yaml', 'markdown']),
  ...outputFlags,
  all: explain429Flags.all,
  'exit-code': explain429Flags['exit-code'],
  strict: explain429Flags.strict,
  status: explain429Flags.status,
  header: explain429Flags.header,
  body: explain429Flags.body,
  url: requestFlags.url,
  ...sourceFlags,
  metrics: serverFlags.metrics,
  ...connectionFlags,
  ...impersonationFlags,
  'all-servers': serverFlags['all-servers'],
  apiserver: serverFlags.apiserver,
}

export default defineCommand({
  description:
    'Reads answers (curl -i, kubectl -v=8), Status objects, logs of any component, audit events, Events and metrics, in any ' +
    'mixture and of any length, and says for each trace of throttling which limiter left it, how sure that is, what it proves, ' +
    'and what to change. No cluster is asked unless a source is named; with one, UIDs become names and the level is shown.',
  usage: [
    'explain-429 [FILE...] [flags]',
    "explain-429 --status CODE [--header 'NAME: VALUE'...] [--body TEXT] [--url URL]",
  ],
  args: {},
  extraWords: true,
  flags,
  examples: [
    { says: 'A log on standard input', run: 'explain-429 < examples/client.log' },
    { says: 'Every finding, one line each', run: 'explain-429 examples/client.log --all' },
    { says: 'An answer as curl -i printed it', run: 'explain-429 examples/refused.http' },
    {
      says: 'Parts of an answer',
      run: "explain-429 --status 429 --header 'Retry-After: 5' --body 'The apiserver is shutting down, please try again later.'",
    },
    {
      says: 'With the objects and levels of a recording',
      run: 'explain-429 examples/refused.http --from examples/saturated',
    },
    {
      says: 'With those of the cluster of the current context',
      run: 'explain-429 examples/refused.http --all-servers=auto',
      needs: 'cluster',
    },
    { says: 'A gate for CI', run: 'explain-429 examples/quiet.log --exit-code' },
  ],
  run: async ({ flags, words }, io) => {
    const { explain429 } = await import('./explain-429/run.ts')
    return await explain429(flags, words, io)
  },
})
