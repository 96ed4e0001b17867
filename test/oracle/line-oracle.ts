/** A program that answers questions in their order, each a line of JSON. */
import { type ChildProcess, spawn } from 'node:child_process'
import { createInterface } from 'node:readline'

export class LineOracle {
  readonly #program: ChildProcess
  readonly #waiting: { resolve: (answer: Record<string, unknown>) => void; reject: (why: Error) => void }[] = []

  constructor(path: string) {
    this.#program = spawn(path, [], { stdio: ['pipe', 'pipe', 'inherit'] })
    const { stdout } = this.#program
    if (stdout === null) throw new TypeError('the oracle has no output')
    createInterface({ input: stdout }).on('line', (line) => {
      // What the test runner of Go says as it ends is no answer.
      if (line.startsWith('{')) this.#waiting.shift()?.resolve(JSON.parse(line) as Record<string, unknown>)
    })
    this.#program.on('exit', (code) => {
      for (const { reject } of this.#waiting.splice(0)) reject(new Error(`the oracle ended with ${code}`))
    })
  }

  ask(question: object): Promise<Record<string, unknown>> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ resolve, reject })
      this.#program.stdin?.write(`${JSON.stringify(question)}\n`)
    })
  }

  close(): void {
    this.#program.stdin?.end()
  }
}
