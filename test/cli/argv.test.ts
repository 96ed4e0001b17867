import { describe, expect, it } from 'vitest'
import { type FlagShape, normaliseArgv } from '../../src/cli/argv.ts'
import { CliError } from '../../src/cli/errors.ts'

const shapes: FlagShape[] = [
  { name: 'namespace', char: 'n', kind: 'value' },
  { name: 'output', char: 'o', kind: 'value' },
  { name: 'as', kind: 'value' },
  { name: 'as-group', kind: 'list' },
  { name: 'all-namespaces', char: 'A', kind: 'switch' },
  { name: 'quiet', char: 'q', kind: 'switch' },
]

describe('a command line as kubectl users type it', () => {
  it.each<[line: string, flags: string[], words: string[]]>([
    ['whereis list pods', [], ['list', 'pods']],
    ['whereis list pods -n shop', ['--namespace=shop'], ['list', 'pods']],
    ['whereis -n shop list pods', ['--namespace=shop'], ['list', 'pods']],
    ['-n shop whereis list pods', ['--namespace=shop'], ['list', 'pods']],
    ['--namespace shop whereis list pods', ['--namespace=shop'], ['list', 'pods']],
    ['--namespace=shop whereis list pods', ['--namespace=shop'], ['list', 'pods']],
    ['whereis list -nshop pods', ['--namespace=shop'], ['list', 'pods']],
    ['whereis list pods -n=shop', ['--namespace=shop'], ['list', 'pods']],
    ['whereis list pods -ojson', ['--output=json'], ['list', 'pods']],
    ['whereis list pods -o=json', ['--output=json'], ['list', 'pods']],
    ['whereis list pods -o json', ['--output=json'], ['list', 'pods']],
    ['whereis list pods -A', ['--all-namespaces'], ['list', 'pods']],
    ['whereis list pods -Aojson', ['--all-namespaces', '--output=json'], ['list', 'pods']],
    ['whereis list pods -Ao json', ['--all-namespaces', '--output=json'], ['list', 'pods']],
    ['whereis list pods -qA=true', ['--quiet', '--all-namespaces'], ['list', 'pods']],
    ['whereis list pods --all-namespaces=true', ['--all-namespaces'], ['list', 'pods']],
    ['whereis list pods --all-namespaces=false', [], ['list', 'pods']],
    ['whereis list pods -A --all-namespaces=0', [], ['list', 'pods']],
    ['whereis list pods -A=F -A', ['--all-namespaces'], ['list', 'pods']],
    ['whereis list pods -n a -n b', ['--namespace=b'], ['list', 'pods']],
    ['whereis --as-group a --as-group=b --as jane', ['--as-group=a', '--as-group=b', '--as=jane'], []],
    ['whereis --as-group a list pods', ['--as-group=a'], ['list', 'pods']],
    ['whereis -n pods list pods', ['--namespace=pods'], ['list', 'pods']],
    ['whereis list pods -n -A', ['--namespace=-A'], ['list', 'pods']],
    ['whereis --as= list pods', ['--as='], ['list', 'pods']],
    ['whereis --as=a=b list pods', ['--as=a=b'], ['list', 'pods']],
    ['whereis list pods --unknown=x -z', ['--unknown=x', '-z'], ['list', 'pods']],
    ['whereis - list', [], ['-', 'list']],
  ])('%s', (line, flags, words) => {
    expect(normaliseArgv(line.split(' '), shapes)).toEqual({
      command: 'whereis',
      flags,
      words,
      wordsBeforeDash: null,
      help: false,
      version: false,
    })
  })

  it('takes everything behind -- as words and says where it stood', () => {
    expect(normaliseArgv(['whereis', 'exec', 'po/web', '-A', '--', 'sh', '-c', '--as=x'], shapes)).toMatchObject({
      flags: ['--all-namespaces'],
      words: ['exec', 'po/web', 'sh', '-c', '--as=x'],
      wordsBeforeDash: 2,
    })
  })

  it.each([
    ['whereis --help', 'whereis'],
    ['--help whereis', 'whereis'],
    ['whereis list -h', 'whereis'],
    ['-h', null],
  ])('%s asks for help', (line, command) => {
    expect(normaliseArgv(line.split(' '), shapes)).toMatchObject({ help: true, command })
  })

  it('takes --version for itself', () => {
    expect(normaliseArgv(['--version'], shapes)).toMatchObject({ version: true, command: null })
  })

  it.each([
    ['whereis -A=maybe', '-A takes true or false, not "maybe"'],
    ['whereis --quiet=', '--quiet takes true or false, not ""'],
    ['whereis list pods -n', 'flag needs a value: -n'],
    ['whereis --as', 'flag needs a value: --as'],
  ])('%s is refused', (line, message) => {
    expect(() => normaliseArgv(line.split(' '), shapes)).toThrow(new CliError({ exitCode: 2, what: message }))
  })
})
