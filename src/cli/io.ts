import type { ColourWhen } from '../ui/colour.ts'
import { EXIT } from './errors.ts'

/** What a command may touch of the process: so that tests run commands without starting one. */
export interface Io {
  stdin: AsyncIterable<Uint8Array>
  stdout: Sink
  stderr: Sink
  env: Readonly<Record<string, string | undefined>>
  /** As --color says; set before a command runs. */
  colour: ColourWhen
}

export interface Sink {
  /** Resolves (or returns nothing) once more may be written. */
  write(text: string): Promise<void> | undefined
  isTTY: boolean
  /** Width of the terminal in columns; null where there is none. */
  columns: number | null
}

/** The real process. Streams are opened on first use: opening one costs milliseconds. */
export function processIo(): Io {
  return {
    get stdin() {
      return process.stdin
    },
    stdout: streamSink(() => process.stdout),
    stderr: streamSink(() => process.stderr),
    env: process.env,
    colour: 'auto',
  }
}

function streamSink(open: () => NodeJS.WriteStream): Sink {
  let opened: NodeJS.WriteStream | undefined
  // All who wait do so together: each listener of a stream costs, and many are taken for a leak.
  let drained: Promise<void> | undefined
  const stream = () => {
    if (opened) return opened
    opened = open()
    opened.on('error', (error: NodeJS.ErrnoException) => {
      // The reader has gone (`| head`): nobody is left to tell anything.
      if (error.code === 'EPIPE') process.exit()
      unwritable(error)
    })
    return opened
  }
  return {
    write(text) {
      if (stream().write(text)) return undefined
      drained ??= new Promise((resolve) =>
        stream().once('drain', () => {
          drained = undefined
          resolve()
        }),
      )
      return drained
    },
    get isTTY() {
      return stream().isTTY === true
    },
    get columns() {
      return stream().columns ?? null
    },
  }
}

/** A full disk and the like: says so and ends the program. */
function unwritable(error: Error): never {
  // Where stderr is what cannot be written, nobody can be told.
  process.stderr.on('error', () => {})
  process.stderr.write(`error: the answer could not be written\n  ${error.message}\n`)
  process.exit(EXIT.unanswered)
}
