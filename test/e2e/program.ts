/** Programs that run beside a test and end with it. */
import { type ChildProcess, spawn } from 'node:child_process'
import { closeSync, openSync, readFileSync } from 'node:fs'
import { createServer } from 'node:net'

/**
 * Ends the whole process group when the program ends, and when the pipe on stdin is closed: by us, or by the system when
 * we are no more.
 */
const GUARD = '{ "$@"; kill 0; } & cat > /dev/null; kill -KILL 0'

const LAST_WORDS = 3000

export class Program {
  readonly #child: ChildProcess
  readonly #logFile: string
  readonly #ended: Promise<void>
  #running = true

  /** @param logFile  takes what the program says */
  constructor(command: string, args: readonly string[], logFile: string) {
    this.#logFile = logFile
    const log = openSync(logFile, 'w')
    this.#child = spawn('sh', ['-c', GUARD, 'sh', command, ...args], { detached: true, stdio: ['pipe', log, log] })
    closeSync(log)
    this.#ended = new Promise((resolve) => {
      this.#child.on('error', () => resolve())
      this.#child.on('exit', () => resolve())
    })
    this.#ended.then(() => {
      this.#running = false
    })
    this.#child.stdin?.on('error', () => {})
  }

  /** Ends it at once, without its leave. */
  async stop(): Promise<void> {
    this.thaw()
    this.#child.stdin?.end()
    await this.#ended
  }

  /** It keeps its connections and takes new ones, but does nothing. */
  freeze(): void {
    this.#signal('SIGSTOP')
  }

  thaw(): void {
    this.#signal('SIGCONT')
  }

  #signal(signal: NodeJS.Signals): void {
    if (this.#running && this.#child.pid !== undefined) process.kill(-this.#child.pid, signal)
  }

  /**
   * Waits until `ready` gives true.
   * @throws with the last words of the program if it has ended, or is not ready in time
   */
  async until(ready: () => Promise<boolean>, milliseconds: number): Promise<void> {
    const deadline = Date.now() + milliseconds
    while (!(await ready())) {
      const failed = this.#running ? Date.now() > deadline && 'is not ready in time' : 'has ended'
      if (failed) throw new Error(`${this.#child.spawnargs[3]} ${failed}: ${this.#lastWords()}`)
      await new Promise((resolve) => setTimeout(resolve, 100))
    }
  }

  #lastWords(): string {
    return readFileSync(this.#logFile, 'utf8').slice(-LAST_WORDS)
  }
}

/** A TCP port of 127.0.0.1 that nobody uses at this moment. */
export function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer()
    server.on('error', reject)
    server.listen(0, '127.0.0.1', () => {
      const address = server.address()
      server.close(() => resolve(typeof address === 'object' && address !== null ? address.port : 0))
    })
  })
}
