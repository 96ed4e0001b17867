/** Reads the evidence, attributes it as it comes, and accounts for it. */
import { Accountant, type AttributedItem, Attributor, itemOf } from '../../analysis/attributions.ts'
import { CliError, EXIT, type ExitCode, usageError, worstExit } from '../../cli/errors.ts'
import type { Io } from '../../cli/io.ts'
import { printFailure, printNotes } from '../../cli/messages.ts'
import type { OutputFlagValues } from '../../cli/print.ts'
import type { ServerFlagValues } from '../../cli/servers.ts'
import { answerHeaders, attributeAnswer } from '../../limiters/evidence/answer.ts'
import { pathOf } from '../../limiters/evidence/request-path.ts'
import type { InputRead } from '../../report/attributions-document.ts'
import { decoded, isFault, openEvidence, UnpackError } from '../../sources/evidence/open.ts'
import { MAX_LINE_BYTES, scanLines } from '../../sources/evidence/scan.ts'
import { type Cluster, withoutCluster } from './cluster.ts'
import { type Reporter, reporterFor } from './reporters.ts'

export interface Explain429Flags extends OutputFlagValues, ServerFlagValues {
  all: boolean
  'exit-code': boolean
  strict: boolean
  status?: number | undefined
  header?: string[] | undefined
  body?: string | undefined
  url?: string | undefined
  as?: string | undefined
  'as-group'?: string[] | undefined
  'as-uid'?: string | undefined
}

/** @param files  paths, - for standard input; none: standard input, or the parts of an answer that the flags give */
export async function explain429(flags: Explain429Flags, files: readonly string[], io: Io): Promise<ExitCode> {
  const parts = partsOf(flags, files)
  const readsStdin = parts === null && (files.length === 0 || files.includes('-'))
  if (readsStdin && flags.from?.includes('-')) {
    throw usageError('--from - beside evidence on standard input', 'it can be read once', 'name a file for one of them')
  }
  if (readsStdin && 'isTTY' in io.stdin && io.stdin.isTTY === true) {
    printNotes(['reading standard input; end it with Ctrl-D, or name files'], flags.quiet, io)
  }
  const explain = (cluster: Cluster) => answer(flags, files, parts, cluster, io)
  if (!namesSource(flags)) return explain(withoutCluster())
  const { withCluster } = await import('./cluster-source.ts')
  return withCluster(flags, io, explain)
}

/** Flags that name a cluster, or something that stands for one. Without any of them none is asked. */
function namesSource(flags: Explain429Flags): boolean {
  const lists = [flags.from, flags.metrics, flags.apiserver]
  const names = [
    flags['all-servers'],
    flags.defaults,
    flags.context,
    flags.kubeconfig,
    flags.server,
    flags.cluster,
    flags.user,
    flags.token,
  ]
  return lists.some((list) => list !== undefined && list.length > 0) || names.some((name) => name !== undefined)
}

async function answer(
  flags: Explain429Flags,
  files: readonly string[],
  parts: Parts | null,
  cluster: Cluster,
  io: Io,
): Promise<ExitCode> {
  const accountant = new Accountant()
  const reporter = reporterFor(flags, cluster, io)
  const deliver = (item: AttributedItem) => {
    accountant.add(item)
    reporter.item(item)
  }
  const read: InputRead = { lines: 0, bytes: 0, malformed: 0, tooLong: 0, unread: 0 }
  let inputExit: ExitCode = EXIT.ok
  if (parts !== null) explainParts(parts, cluster, deliver)
  else inputExit = await readAll(files.length === 0 ? ['-'] : files, { cluster, deliver, reporter, read, flags, io })
  const account = accountant.account()
  await reporter.end(account, read)
  noteUnread(read, flags.quiet, io)
  const strict = flags.strict && (read.malformed > 0 || read.tooLong > 0) ? EXIT.usage : EXIT.ok
  const found = flags['exit-code'] && account.throttled > 0 ? EXIT.findings : EXIT.ok
  return worstExit(inputExit, strict, found)
}

// Files

interface Reading {
  cluster: Cluster
  deliver: (item: AttributedItem) => void
  reporter: Reporter
  read: InputRead
  flags: Explain429Flags
  io: Io
}

async function readAll(files: readonly string[], reading: Reading): Promise<ExitCode> {
  const { cluster, deliver, io } = reading
  const attributor = new Attributor(cluster.aggregatedApis, deliver)
  const exits: ExitCode[] = []
  for (const path of files) {
    const chunks = path === '-' ? decoded(io.stdin) : openEvidence(path)
    if (isFault(chunks)) {
      exits.push(printFailure(new CliError({ exitCode: EXIT.usage, ...chunks }), io))
      reading.read.unread++
      continue
    }
    exits.push(await readOne(path, chunks, attributor, files.length > 1, reading))
  }
  return worstExit(...exits)
}

async function readOne(
  path: string,
  chunks: AsyncIterable<Uint8Array>,
  attributor: Attributor,
  isNamed: boolean,
  { reporter, read, flags, io }: Reading,
): Promise<ExitCode> {
  const reader = attributor.reader(isNamed && path !== '-' ? path : null)
  let exit: ExitCode = EXIT.ok
  const readable = untilFailure(chunks, (error) => {
    exit = printFailure(unreadable(path, error), io)
    read.unread++
  })
  const report = await scanLines(paced(readable, reporter), attributor.find, (text, line, before) =>
    reader.readLine(text, line, before),
  )
  read.lines += report.lines
  read.bytes += report.bytes
  read.tooLong += report.tooLong
  if (report.isBinary) {
    const what = path === '-' ? 'standard input' : path
    printNotes([`${what} is no text: it was searched all the same`], flags.quiet, io)
  }
  reader.end()
  read.malformed += reader.malformed
  return exit
}

/** What came before a failure is evidence all the same. */
async function* untilFailure(
  chunks: AsyncIterable<Uint8Array>,
  onFailure: (error: unknown) => void,
): AsyncGenerator<Uint8Array> {
  try {
    yield* chunks
  } catch (error) {
    onFailure(error)
  }
}

/** No faster than the reader of our output takes it, and what was found is out before more is waited for. */
async function* paced(chunks: AsyncIterable<Uint8Array>, reporter: Reporter): AsyncGenerator<Uint8Array> {
  for await (const chunk of chunks) {
    yield chunk
    await reporter.flush()
  }
}

function unreadable(path: string, error: unknown): CliError {
  const why = error instanceof Error ? error.message : String(error)
  const next = error instanceof UnpackError ? 'the archive is damaged or cut off: what could be unpacked was read' : ''
  return new CliError({ exitCode: EXIT.usage, what: `${path} cannot be read to its end`, why, next })
}

function noteUnread({ malformed, tooLong }: InputRead, quiet: boolean, io: Io): void {
  const notes: string[] = []
  if (malformed > 0)
    notes.push(
      `${malformed} JSON document${malformed === 1 ? ' is' : 's are'} cut off or malformed; what they still say was used`,
    )
  if (tooLong > 0)
    notes.push(`${tooLong} line${tooLong === 1 ? '' : 's'} of more than ${MAX_LINE_BYTES >> 20} MiB not read`)
  printNotes(notes, quiet, io)
}

// Parts of an answer

interface Parts {
  status: number | null
  headers: [string, string][]
  body: string | null
  path: string | null
}

/** @throws CliError for parts beside files, and for a header that is none */
function partsOf({ status, header = [], body, url }: Explain429Flags, files: readonly string[]): Parts | null {
  if (status === undefined && header.length === 0 && body === undefined) {
    if (url !== undefined)
      throw usageError(
        '--url without an answer',
        'it says which request was answered',
        'add --status, --header or --body',
      )
    return null
  }
  if (files.length > 0)
    throw usageError(
      'parts of an answer beside files',
      'both are evidence, and one at a time is explained',
      'leave one of them out',
    )
  const headers = header.map((text): [string, string] => {
    const colon = text.indexOf(':')
    if (colon <= 0) throw usageError('--header without a colon', undefined, "write it as 'Retry-After: 1'")
    return [text.slice(0, colon), text.slice(colon + 1).trim()]
  })
  return {
    status: status ?? null,
    headers,
    body: body ?? null,
    path: url === undefined ? null : pathOf(url),
  }
}

function explainParts(parts: Parts, cluster: Cluster, deliver: (item: AttributedItem) => void): void {
  // Every answer has a type: with it all headers are taken to be given, without it some were picked.
  const areAll = parts.headers.some(([name]) => /^content-type$/i.test(name))
  const headers = parts.headers.length === 0 ? null : answerHeaders(parts.headers, areAll)
  const found = attributeAnswer({
    code: parts.status,
    headers,
    body: parts.body,
    requestPath: parts.path,
    aggregatedApis: cluster.aggregatedApis,
  })
  if (found === null) return
  const excerpt = [parts.status ?? '', parts.body ?? ''].join(' ')
  deliver(itemOf({ attribution: found, line: 0, time: null, origin: null, excerpt, repeats: null }, null))
}
