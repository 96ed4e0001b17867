/**
 * Brings an argument vector as kubectl's users type it into one form: the command, its flags, its words.
 *
 * kubectl's flag library takes flags anywhere (before the command too), `--flag value` and `--flag=value`, `-nVALUE` and
 * `-n=VALUE`, clustered short switches, `--switch=false`, and lets the last of a repeated flag win. oclif's parser knows
 * only part of that.
 */
import { usageError } from './errors.ts'

/** What must be known of a flag to tell its value from a word. */
export interface FlagShape {
  name: string
  char?: string
  kind: 'switch' | 'value' | 'list'
  /** A switch that takes a level as well, as kubectl's `-v=6`; 0 is off. */
  levels?: true
  /** A switch whose `=false` says more than leaving it out: passed on as `--no-name`. */
  negatable?: true
}

export interface Argv {
  /** First word that is not a flag; null when there is none. */
  command: string | null
  /** `--flag=value` or `--flag`, one element each; of a scalar flag only the last. Unknown flags as typed. */
  flags: string[]
  /** Words behind the command, in order. */
  words: string[]
  /** How many of the words stood before `--`; null without `--`. */
  wordsBeforeDash: number | null
  help: boolean
  version: boolean
}

interface GivenFlag {
  shape: FlagShape
  text: string
}

/** @throws CliError (exit 2) for a flag that lacks its value, and for a switch with a value that is no truth value */
export function normaliseArgv(argv: readonly string[], shapes: readonly FlagShape[]): Argv {
  const byName = new Map(shapes.map((shape) => [shape.name, shape]))
  const byChar = new Map(shapes.flatMap((shape) => (shape.char === undefined ? [] : [[shape.char, shape] as const])))
  const given: (GivenFlag | string)[] = []
  const words: string[] = []
  let wordsBeforeDash: number | null = null
  let help = false
  let version = false

  const rest = [...argv]
  const takeValue = (shape: FlagShape, inline: string | null, typed: string) => {
    const value = inline ?? rest.shift()
    if (value === undefined) throw usageError(`flag needs a value: ${typed}`)
    given.push({ shape, text: `--${shape.name}=${value}` })
  }
  const takeSwitch = (shape: FlagShape, inline: string | null, typed: string) => {
    const level = shape.levels && inline !== null && /^\d+$/.test(inline) ? Number(inline) : null
    const on = inline === null ? true : level === null ? truthValue(inline) : level > 0
    if (on === null) throw usageError(`${typed} takes true or false, not ${JSON.stringify(inline)}`)
    given.push({ shape, text: on ? `--${shape.name}` : shape.negatable ? `--no-${shape.name}` : '' })
  }
  const takeShort = (token: string) => {
    for (let at = 1; at < token.length; at++) {
      const char = token.charAt(at)
      const tail = token.slice(at + 1)
      const shape = byChar.get(char)
      if (shape === undefined) {
        if (char === 'h') help = true
        else given.push(at === 1 ? token : `-${token.slice(at)}`)
        if (char !== 'h') return
      } else if (shape.levels && /^\d+$/.test(tail)) {
        return takeSwitch(shape, tail, `-${char}`)
      } else if (shape.kind === 'switch' && !tail.startsWith('=')) {
        takeSwitch(shape, null, `-${char}`)
      } else if (shape.kind === 'switch') {
        return takeSwitch(shape, tail.slice(1), `-${char}`)
      } else {
        return takeValue(shape, tail === '' ? null : tail.replace(/^=/, ''), `-${char}`)
      }
    }
  }

  for (let token = rest.shift(); token !== undefined; token = rest.shift()) {
    if (token === '--') {
      wordsBeforeDash = words.length
      words.push(...rest)
      break
    }
    if (!token.startsWith('-') || token === '-') {
      words.push(token)
    } else if (token.startsWith('--')) {
      const equals = token.indexOf('=')
      const name = token.slice(2, equals === -1 ? undefined : equals)
      const inline = equals === -1 ? null : token.slice(equals + 1)
      const shape = byName.get(name)
      if (shape?.kind === 'switch') takeSwitch(shape, inline, `--${name}`)
      else if (shape) takeValue(shape, inline, `--${name}`)
      else if (name === 'help') help = true
      else if (name === 'version') version = true
      else given.push(token)
    } else takeShort(token)
  }

  const command = words.shift() ?? null
  if (command !== null && wordsBeforeDash !== null) wordsBeforeDash = Math.max(0, wordsBeforeDash - 1)
  return { command, flags: lastOfEach(given), words, wordsBeforeDash, help, version }
}

function lastOfEach(given: readonly (GivenFlag | string)[]): string[] {
  const last = new Map<string, number>()
  given.forEach((flag, index) => {
    if (typeof flag !== 'string') last.set(flag.shape.name, index)
  })
  return given.flatMap((flag, index) => {
    if (typeof flag === 'string') return [flag]
    const counts = flag.shape.kind === 'list' || last.get(flag.shape.name) === index
    return counts && flag.text !== '' ? [flag.text] : []
  })
}

/** Truth values of Go's strconv.ParseBool. */
function truthValue(text: string): boolean | null {
  if (['1', 't', 'T', 'TRUE', 'true', 'True'].includes(text)) return true
  if (['0', 'f', 'F', 'FALSE', 'false', 'False'].includes(text)) return false
  return null
}
