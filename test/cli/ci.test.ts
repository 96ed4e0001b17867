/** The command lines of docs/ci.md, action.yml and .pre-commit-hooks.yaml, run for real. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { isFormat } from '../../src/commands/lint/formats.ts'
import { ROOT, run } from '../support/cli.ts'

interface Action {
  inputs: Record<string, { default: string }>
  runs: { steps: { name: string; run: string; env?: Record<string, string> }[] }
}

const read = (path: string) => readFileSync(`${ROOT}${path}`, 'utf8')

let folder: string
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'ci-'))
})
afterAll(() => rmSync(folder, { recursive: true }))

/** Runs a script as a CI server does: bash that stops at the first failure, our program on the search path. */
function bash(script: string, env: Record<string, string> = {}) {
  const PATH = `${ROOT}bin:${process.env['PATH'] ?? ''}`
  return run('bash', ['--noprofile', '--norc', '-eo', 'pipefail', '-c', script], { env: { PATH, ...env } })
}

describe('action.yml', () => {
  const action: Action = parse(read('action.yml'))
  const [install, lint] = action.runs.steps

  function runAction(inputs: Record<string, string>) {
    const env = Object.entries(lint?.env ?? {}).map(([variable, expression]) => {
      const name = /\$\{\{ inputs\.([a-z-]+) \}\}/.exec(expression)?.[1] ?? ''
      return [variable, inputs[name] ?? action.inputs[name]?.default ?? '']
    })
    return bash(lint?.run ?? '', Object.fromEntries(env))
  }

  it('installs nothing where the program is there', async () => {
    expect(await bash(install?.run ?? '')).toMatchObject({ code: 0, stdout: '' })
  })

  it('annotates, fails at the threshold and writes SARIF', async () => {
    const sarif = join(folder, 'action.sarif')
    const inputs = { paths: 'examples/lint', targets: '1.34,1.37', 'fail-on': 'warning', sarif }
    const { code, stdout } = await runAction(inputs)
    expect(code).toBe(1)
    expect(stdout).toMatch(/^::warning file=examples\/lint\/exports\.yaml,line=9,/m)
    expect(JSON.parse(readFileSync(sarif, 'utf8'))).toMatchObject({ version: '2.1.0' })
  })

  it('passes without inputs but paths', async () => {
    expect(await runAction({ paths: 'examples/lint' })).toMatchObject({ code: 0 })
  })
})

describe('.pre-commit-hooks.yaml', () => {
  const [hook]: { entry: string; args?: string[] }[] = parse(read('.pre-commit-hooks.yaml'))

  it('takes the changed files behind its flags, those that are not ours too', async () => {
    const files = 'examples/lint/exports.yaml biome.json'
    const { code, stdout } = await bash(`${hook?.entry} --target=1.34 --fail-on=warning ${files}`)
    expect(code).toBe(1)
    expect(stdout).toContain('[APF201]')
  })
})

describe('docs/ci.md', () => {
  const page = read('docs/ci.md')
  const yaml = [...page.matchAll(/^```yaml\n(.*?)^```$/gms)].map(([, text = '']) => text)
  const shell = [...page.matchAll(/^```sh\n(.*?)^```$/gms)].flatMap(([, text = '']) => text.trim().split('\n'))

  it('has YAML that can be read', () => {
    for (const text of yaml) expect(parse(text)).toBeTruthy()
  })

  it('gives the action and the hook what they have', () => {
    const workflow = parse(yaml.find((text) => text.includes('codeql')) ?? '')
    const action: Action = parse(read('action.yml'))
    const step = workflow.jobs.lint.steps.find(({ uses }: { uses: string }) => uses.includes('kubectl-apf'))
    expect(Object.keys(action.inputs)).toEqual(expect.arrayContaining(Object.keys(step.with)))
    const [{ hooks }] = parse(yaml.find((text) => text.startsWith('repos:')) ?? '').repos
    expect(read('.pre-commit-hooks.yaml')).toContain(`- id: ${hooks[0].id}\n`)
  })

  it('runs in GitLab, and leaves its reports', async () => {
    const job = parse(yaml.find((text) => text.startsWith('apf-lint:')) ?? '')['apf-lint']
    const [install, lint] = job.script
    expect(install).toBe('npm install --global kubectl-apf')
    const inFolder = lint.replaceAll(/(--report \w+=)/g, `$1${folder}/`)
    expect(await bash(inFolder)).toMatchObject({ code: 1 })
    const { codequality, junit } = job.artifacts.reports
    expect(JSON.parse(readFileSync(join(folder, codequality), 'utf8'))[0].check_name).toBe('APF201')
    expect(readFileSync(join(folder, junit), 'utf8')).toContain('<testsuites')
  })

  it.each(shell.filter((line) => line.includes('|')))('pipes: %s', async (line) => {
    const [, lint = ''] = line.split('|')
    const { code, stdout } = await bash(
      `cat examples/lint/exports.yaml | ${lint.replace('kubectl apf', 'kubectl-apf')}`,
    )
    expect(code).toBe(1)
    expect(stdout).toContain('[APF201]')
  })

  it('asks a cluster where it says so', async () => {
    const line = shell.find((each) => !each.includes('|')) ?? ''
    const { code, stderr } = await bash(
      line.replace('kubectl apf', 'kubectl-apf').replace('apf.xml', `${folder}/live.xml`),
      {
        HOME: '/nonexistent',
      },
    )
    expect([2, 3]).toContain(code)
    expect(stderr).toContain('prod')
  })

  it('names formats that exist', () => {
    const named = [...page.matchAll(/(?:--report |-o |--output=)([a-z]+)/g)].map(([, format = '']) => format)
    expect(named.filter((format) => !isFormat(format))).toEqual([])
  })
})
