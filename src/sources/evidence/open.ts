/** Opens a log: a file, plain or compressed, or standard input. */
import { createReadStream, statSync } from 'node:fs'
import type { Readable, Transform } from 'node:stream'
import zlib from 'node:zlib'
import { unreadableReason } from '../input.ts'

export interface EvidenceFault {
  what: string
  why: string
  next: string
}

/** Large enough that a read costs little beside the search. */
const READ_BYTES = 1 << 20

/** The bytes of a file, unpacked; what is compressed is told by its name. */
export function openEvidence(path: string): AsyncIterable<Uint8Array> | EvidenceFault {
  try {
    if (statSync(path).isDirectory()) return fault(path, 'it is a folder', 'name the files in it')
  } catch (error) {
    return fault(path, unreadableReason(error), 'check the path')
  }
  const file = createReadStream(path, { highWaterMark: READ_BYTES })
  if (/\.t?gz$/i.test(path)) return unpacked(file, zlib.createGunzip(), path)
  if (!/\.zst(?:d)?$/i.test(path)) return decoded(file)
  const create = zstdUnpacker()
  if (create === null) {
    return fault(
      path,
      'this Node.js cannot unpack zstd: it takes 22.15 or later',
      `zstd -dc ${path} | kubectl apf explain-429`,
    )
  }
  return unpacked(file, create(), path)
}

/** Whether a file could not be opened. */
export function isFault(opened: AsyncIterable<Uint8Array> | EvidenceFault): opened is EvidenceFault {
  return 'what' in opened
}

function fault(path: string, why: string, next: string): EvidenceFault {
  return { what: `${path} cannot be read`, why, next }
}

/** Null on a Node.js without zstd. */
function zstdUnpacker(): (() => Transform) | null {
  const create: unknown = Reflect.get(zlib, 'createZstdDecompress')
  return typeof create === 'function' ? () => create() as Transform : null
}

/** An archive that is cut off gives what it has; the end of it is an error. */
async function* unpacked(file: Readable, unpacker: Transform, path: string): AsyncGenerator<Uint8Array> {
  file.on('error', (error) => unpacker.destroy(error))
  try {
    yield* decoded(file.pipe(unpacker))
  } catch (error) {
    throw new UnpackError(path, error instanceof Error ? error.message : String(error))
  }
}

/** A compressed file that ends too early or is damaged; what came before has been read. */
export class UnpackError extends Error {
  readonly path: string

  constructor(path: string, why: string) {
    super(why)
    this.path = path
  }
}

/** As UTF-8 without its mark: PowerShell writes UTF-16, and puts a mark in front of UTF-8. */
export async function* decoded(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let decoder: InstanceType<typeof TextDecoder> | null = null
  let isFirst = true
  for await (const chunk of chunks) {
    if (isFirst && chunk.length > 0) {
      isFirst = false
      const [first, second, third] = chunk
      if (first === 0xff && second === 0xfe) decoder = new TextDecoder('utf-16le')
      else if (first === 0xfe && second === 0xff) decoder = new TextDecoder('utf-16be')
      else if (first === 0xef && second === 0xbb && third === 0xbf) {
        yield chunk.subarray(3)
        continue
      }
    }
    yield decoder === null ? chunk : Buffer.from(decoder.decode(chunk, { stream: true }))
  }
}
