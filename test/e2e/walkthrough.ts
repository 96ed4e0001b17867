/**
 * A page of Markdown that is also a program: fenced blocks that begin with `$ ` are calls of the shell with what they print,
 * and fenced blocks whose first line is `# NAME`, a file name, are files that later calls read.
 */

export interface PageRunner {
  writeFile(name: string, text: string): void
  /** @returns what the command prints on stdout; it ends with 0 */
  call(command: string): Promise<string>
}

const BLOCK = /^```\w*\n.*?^```$/gms
const FILE = /^```\w+\n# ([\w.-]+\.\w+)\n(.*)^```$/ms
const PROMPT = '$ '

/**
 * Runs the page from top to bottom.
 *
 * @returns the page with what its calls print now. What has changed in momentary numbers alone stays as it is.
 */
export async function runPage(page: string, runner: PageRunner): Promise<string> {
  const rendered: string[] = []
  let end = 0
  for (const { 0: block, index } of page.matchAll(BLOCK)) {
    rendered.push(page.slice(end, index), await runBlock(block, runner))
    end = index + block.length
  }
  return [...rendered, page.slice(end)].join('')
}

async function runBlock(block: string, runner: PageRunner): Promise<string> {
  const [, name, text] = FILE.exec(block) ?? []
  if (name !== undefined && text !== undefined) runner.writeFile(name, text)
  const lines = block.split('\n')
  if (!lines[1]?.startsWith(PROMPT)) return block

  const rendered: string[] = []
  for (const { command, output } of callsOf(lines.slice(1, -1))) {
    const now = await runner.call(command)
    rendered.push(PROMPT + command, ...linesOf(lasting(now) === lasting(output) ? output : now))
  }
  return [lines[0], ...rendered, lines.at(-1)].join('\n')
}

function callsOf(lines: readonly string[]): { command: string; output: string }[] {
  const calls: { command: string; output: string }[] = []
  for (const line of lines) {
    const last = calls.at(-1)
    if (line.startsWith(PROMPT)) calls.push({ command: line.slice(PROMPT.length), output: '' })
    else if (last) last.output += `${line}\n`
  }
  return calls
}

/** Without the end of the last line. */
function linesOf(output: string): string[] {
  return output === '' ? [] : output.replace(/\n$/, '').split('\n')
}

const PORT = /(?<=https:\/\/127\.0\.0\.1:)\d+/g
/** Limits in force and seats in use of a table of `seats`, behind what follows from the objects alone. */
const MOMENTARY = /^(\S+ +(?:Queue|Reject|Exempt)(?: +[\d-]+){3}) .*$|^(LEVEL .*REACHABLE) .*$/gm

/** What an output has in common with that of another run. */
function lasting(output: string): string {
  return output.replace(PORT, 'PORT').replace(MOMENTARY, '$1$2').replace(/\s+$/, '')
}
