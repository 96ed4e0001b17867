/** `whereis --requests`: answers line by line, in order, in constant memory. */
import { createReadStream } from 'node:fs'
import { lineAnswerer, malformedLine } from '../../analysis/answer-lines.ts'
import type { EffectiveConfiguration } from '../../apf/order.ts'
import type { VersionRules } from '../../apf/versions.ts'
import { EXIT, type ExitCode, usageError } from '../../cli/errors.ts'
import type { Io } from '../../cli/io.ts'
import { toJsonText } from '../../report/document.ts'
import { lineWriter } from '../../report/lines.ts'
import { unreadableReason } from '../../sources/input.ts'
import { readLines } from '../../sources/lines.ts'

/** Bytes read at a time. */
const CHUNK_BYTES = 256 * 1024

/** @throws CliError (exit 2) when the file cannot be read */
export async function answerRequests(
  path: string,
  configuration: EffectiveConfiguration,
  rules: VersionRules,
  io: Io,
): Promise<ExitCode> {
  const answer = lineAnswerer(configuration, rules, toJsonText)
  const writer = lineWriter(io.stdout)
  let malformed = 0
  for await (const lines of readLines(path === '-' ? io.stdin : readFile(path))) {
    for (const { text, number, problem } of lines) {
      const answered = problem === null ? answer(text, number) : malformedLine(null, number, problem, toJsonText)
      if (answered.malformed) malformed++
      const full = writer.write(`${answered.text}\n`)
      if (full) await full
    }
  }
  await writer.flush()
  if (malformed === 0) return EXIT.ok
  await io.stderr.write(`error: ${malformed} malformed ${malformed === 1 ? 'line' : 'lines'}, answered in place\n`)
  return EXIT.usage
}

async function* readFile(path: string): AsyncGenerator<Uint8Array> {
  try {
    yield* createReadStream(path, { highWaterMark: CHUNK_BYTES })
  } catch (error) {
    throw usageError(`cannot read ${path === '' ? '""' : path}`, unreadableReason(error), 'check the path')
  }
}
