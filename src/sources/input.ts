/** Bytes of a file or of standard input as text, or the problem why they are none. */
import { isUtf8 } from 'node:buffer'
import { closeSync, fstatSync, openSync, readSync } from 'node:fs'
import type { Place, Problem } from '../apf/problem.ts'
import { type SourceText, sourceText } from './source-text.ts'

/** Larger inputs are refused: their values would take gigabytes. */
export const MAX_INPUT_BYTES = 64 * 1024 * 1024

export const STDIN_NAME = '<stdin>'

export type Input = { source: SourceText } | { problem: Problem }

/** Reads a file, a pipe or a device; of what has no size, no more than the limit is ever read. */
export function readInputFile(path: string): Input {
  let bytes: Buffer
  try {
    const file = openSync(path, 'r')
    try {
      const { size } = fstatSync(file)
      if (size > MAX_INPUT_BYTES) return tooLarge(path, `${Math.ceil(size / 1024 / 1024)} MiB`)
      bytes = readToLimit(file, size)
    } finally {
      closeSync(file)
    }
  } catch (error) {
    return { problem: unreadable(path, error) }
  }
  return bytes.length > MAX_INPUT_BYTES ? tooLarge(path, MORE_THAN_LIMIT) : decode(path, bytes)
}

/** The bytes of a file, or some more than the limit. */
function readToLimit(file: number, size: number): Buffer {
  const chunks: Buffer[] = []
  for (let total = 0; total <= MAX_INPUT_BYTES; ) {
    const chunk = Buffer.allocUnsafe(Math.max(size + 1 - total, CHUNK_BYTES))
    const length = readSync(file, chunk)
    if (length === 0) break
    chunks.push(chunk.subarray(0, length))
    total += length
  }
  return Buffer.concat(chunks)
}

const CHUNK_BYTES = 64 * 1024
const MORE_THAN_LIMIT = `more than ${MAX_INPUT_BYTES / 1024 / 1024} MiB`

/** Reads a stream to its end under the given name. Errors of the stream are thrown. */
export async function readInputStream(name: string, stream: AsyncIterable<Uint8Array>): Promise<Input> {
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of stream) {
    size += chunk.length
    if (size > MAX_INPUT_BYTES) return tooLarge(name, MORE_THAN_LIMIT)
    chunks.push(chunk)
  }
  return decode(name, Buffer.concat(chunks))
}

/** The problem of a path that cannot be opened or listed. */
export function unreadable(path: string, error: unknown): Problem {
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  const problem = inputProblem('unreadable', path, `cannot be read: ${unreadableReason(error)}`)
  if (/^https?:\/\//.test(path)) problem.fix = `URLs are not fetched; use: curl -s ${path} | kubectl apf … --from -`
  else if (code === 'ENOENT') problem.fix = 'check the path'
  return problem
}

/** Why opening or reading failed, in words. */
export function unreadableReason(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  return REASONS[code] ?? (error instanceof Error ? error.message : String(error))
}

const REASONS: Readonly<Record<string, string>> = {
  ENOENT: 'no such file or folder',
  EACCES: 'permission denied',
  EPERM: 'permission denied',
  ELOOP: 'too many symbolic links',
  EISDIR: 'it is a folder',
  ENOTDIR: 'a part of its path is not a folder',
  EMFILE: 'too many open files',
}

function decode(name: string, bytes: Buffer): Input {
  if (bytes.length >= 2 && ((bytes[0] === 0xff && bytes[1] === 0xfe) || (bytes[0] === 0xfe && bytes[1] === 0xff))) {
    return { problem: inputProblem('encoding', name, 'text in UTF-16, expected UTF-8', 'save it as UTF-8') }
  }
  if (bytes.includes(0)) {
    return { problem: inputProblem('binary', name, 'a binary file, expected YAML or JSON', 'give manifests') }
  }
  if (!isUtf8(bytes)) return { problem: notUtf8(name, bytes) }
  // The decoder drops a byte order mark.
  return { source: sourceText(name, new TextDecoder().decode(bytes)) }
}

/** Names the first byte that is not UTF-8. */
function notUtf8(name: string, bytes: Buffer): Problem {
  let line = 1
  let start = 0
  for (
    let end = bytes.indexOf(0x0a);
    end >= 0 && isUtf8(bytes.subarray(start, end));
    end = bytes.indexOf(0x0a, start)
  ) {
    start = end + 1
    line++
  }
  const decoded = new TextDecoder().decode(bytes.subarray(start, start + 64 * 1024))
  const column = decoded.indexOf('\ufffd') + 1
  const problem = inputProblem('encoding', name, 'not UTF-8', 'save it as UTF-8')
  const byte = bytes[start + Buffer.byteLength(decoded.slice(0, column - 1))] ?? 0
  problem.message = `found the byte 0x${byte.toString(16).toUpperCase().padStart(2, '0')}, which is not UTF-8`
  problem.at = { file: name, line, column }
  return problem
}

function tooLarge(name: string, size: string): Input {
  const message = `${size}, expected at most ${MAX_INPUT_BYTES / 1024 / 1024} MiB`
  const fix = 'give only the FlowSchemas and PriorityLevelConfigurations'
  return { problem: inputProblem('too-large', name, message, fix) }
}

function inputProblem(code: string, name: string, message: string, fix?: string): Problem {
  const at: Place = { file: name }
  return fix === undefined ? { code, severity: 'error', message, at } : { code, severity: 'error', message, fix, at }
}
