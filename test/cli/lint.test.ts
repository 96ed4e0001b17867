import { execFileSync } from 'node:child_process'
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Findings } from '../../src/report/contract.ts'
import { apf, ROOT } from '../support/cli.ts'
import { violations } from '../support/published-schemas.ts'

const DANGLING = `\
# the reports of the shop
apiVersion: flowcontrol.apiserver.k8s.io/v1
kind: FlowSchema
metadata:
  name: shop-reports
spec:
  matchingPrecedence: 1500
  priorityLevelConfiguration:
    name: workload-lo   # shared
  distinguisherMethod:
    type: ByUser
  rules:
    - subjects:
        - kind: ServiceAccount
          serviceAccount: {namespace: shop, name: '*'}
      resourceRules:
        - verbs: [list]
          apiGroups: ['']
          resources: [pods]
          namespaces: [shop]
`
const FIXED = DANGLING.replace('workload-lo ', 'workload-low ')
/** Has nothing to do with the others. */
const OTHER = FIXED.replaceAll('shop', 'market')

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'lint-'))
})
afterEach(() => rmSync(folder, { recursive: true }))

function write(files: Record<string, string>): void {
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true })
    writeFileSync(join(folder, name), text)
  }
}

const read = (name: string) => readFileSync(join(folder, name), 'utf8')
const lint = (...args: string[]) => apf(['lint', ...args], { cwd: folder })
const found = ({ stdout }: { stdout: string }) => (JSON.parse(stdout) as Findings).findings

describe('lint', () => {
  it('shows what it finds with its line, and counts', async () => {
    write({ 'flow/reports.yaml': DANGLING })
    expect(await lint('flow', '--target', '1.34')).toEqual({
      code: 0,
      stderr: 'laid over the default objects of Kubernetes 1.34\n',
      stdout: `\
flow/reports.yaml:9:11: warning: FlowSchema shop-reports sends its requests to level "workload-lo", which is not in the given files  [APF201]
   9 |     name: workload-lo   # shared
     |           ^^^^^^^^^^^ did you mean "workload-low"?
     until it exists, service-accounts (9000) takes them into workload-low

1 warning in 1 object of 1 file for Kubernetes 1.34 → kubectl apf explain APF201
`,
    })
  })

  it('judges for the newest known version unless one is named', async () => {
    write({ 'a.yaml': FIXED })
    const { stdout, stderr } = await lint('a.yaml')
    expect(stdout).toBe('no findings in 1 object of 1 file for Kubernetes 1.37\n')
    expect(stderr).toBe(
      'no target given: judged for Kubernetes 1.37, the newest known\nlaid over the default objects of Kubernetes 1.37\n',
    )
  })

  it('takes paths as words and with --from alike', async () => {
    write({ 'a.yaml': DANGLING, 'b.yaml': OTHER })
    const { stdout } = await lint('a.yaml', '--from', 'b.yaml', '--target', '1.34', '-q')
    expect(stdout).toMatch(/1 warning in 2 objects of 2 files/)
  })

  it('answers programs as the schema says', async () => {
    write({ 'a.yaml': DANGLING })
    const { stdout } = await lint('a.yaml', '--target', '1.34,1.28', '-o', 'json')
    const answer = JSON.parse(stdout)
    expect(violations('Findings', answer)).toEqual([])
    expect(answer.summary).toMatchObject({
      targets: ['1.28', '1.34'],
      newestCommonApiVersion: null,
      objects: 1,
      files: 1,
    })
    expect(answer.findings).toContainEqual(
      expect.objectContaining({
        rule: 'APF201',
        severity: 'warning',
        file: 'a.yaml',
        line: 9,
        column: 11,
        endColumn: 22,
        field: 'spec.priorityLevelConfiguration.name',
        targets: ['1.28', '1.34'],
        fix: {
          text: 'did you mean "workload-low"?',
          edits: [
            {
              file: 'a.yaml',
              range: { start: { line: 9, column: 11 }, end: { line: 9, column: 22 } },
              newText: 'workload-low',
            },
          ],
        },
      }),
    )
  })

  it('takes the default objects for what is in question where there is nothing else', async () => {
    const { code, stdout } = await lint('--defaults', '1.34', '--fail-on', 'warning', '-o', 'json')
    expect(code).toBe(0)
    expect(found({ stdout }).map(({ severity }) => severity)).not.toContain('warning')
  })

  it('takes a recording as complete', async () => {
    const { code, stdout } = await lint(`${ROOT}examples/saturated`, '-o', 'json', '-q')
    expect(code).toBe(0)
    expect(JSON.parse(stdout).source).toMatchObject({ kind: 'snapshot' })
  })

  it('makes of a missing level an error where the files are complete', async () => {
    write({ 'a.yaml': DANGLING })
    const run = await lint('a.yaml', '--target', '1.34', '--complete', '-o', 'json')
    expect(run.code).toBe(1)
    expect(found(run)).toContainEqual(expect.objectContaining({ rule: 'APF201', severity: 'error' }))
  })
})

describe('--upgrade-to', () => {
  it('judges for the minor after the upgrade', async () => {
    write({ 'a.yaml': FIXED.replace('/v1', '/v1beta3') })
    const run = await lint('a.yaml', '--upgrade-from', '1.30', '--upgrade-to', '1.32', '-o', 'json')
    expect(run.code).toBe(1)
    expect(JSON.parse(run.stdout).summary.targets).toEqual(['1.32'])
    expect(found(run)).toContainEqual(expect.objectContaining({ rule: 'APF104', severity: 'error' }))
  })
})

describe('the exit code', () => {
  it.each([
    [[], 0],
    [['--fail-on', 'warning'], 1],
    [['--fail-on', 'info'], 1],
    [['--fail-on', 'never', '--complete'], 0],
    [['--complete'], 1],
  ])('with %j is %i', async (flags, code) => {
    write({ 'a.yaml': DANGLING })
    expect((await lint('a.yaml', '--target', '1.34', ...flags)).code).toBe(code)
  })

  it('is 2 where a file cannot be read, and the rest is judged', async () => {
    write({ 'a.yaml': DANGLING, 'b.yaml': 'kind: [\n' })
    const run = await lint('.', '--target', '1.34', '--complete', '-o', 'json')
    expect(run.code).toBe(2)
    expect(run.stderr).toMatch(/^\.\/b\.yaml:\d+:\d+: error: not valid YAML/m)
    expect(found(run)).toContainEqual(expect.objectContaining({ rule: 'APF201' }))
  })

  it('is 1 where the server would refuse an object that cannot even be decoded', async () => {
    write({ 'a.yaml': DANGLING.replace('1500', '"1500"') })
    const run = await lint('a.yaml', '--target', '1.34', '-o', 'json')
    expect(run.code).toBe(1)
    expect(found(run)).toContainEqual(
      expect.objectContaining({
        rule: 'APF102',
        severity: 'error',
        line: 7,
        object: { kind: 'FlowSchema', name: 'shop-reports' },
      }),
    )
  })

  it.each([
    [['--target', '1.99', 'a.yaml'], '--target 1.99: no Kubernetes version that is known'],
    [['--target', '1.34', '--defaults', '1.34', 'a.yaml'], '--target with --defaults'],
    [['--target', '1.34', '--upgrade-to', '1.35', 'a.yaml'], '--target with --upgrade-to'],
    [['--upgrade-from', '1.30', 'a.yaml'], '--upgrade-from without --upgrade-to'],
    [['--upgrade-to', '1.34', 'a.yaml'], '--upgrade-to without --upgrade-from'],
    [['--upgrade-from', '1.30', '--upgrade-to', '1.99', 'a.yaml'], '--upgrade-to 1.99'],
    [['--upgrade-from', '1.34', '--upgrade-to', '1.28', 'a.yaml'], '--upgrade-to 1.28 is no upgrade'],
    [['--report', 'pdf=x', 'a.yaml'], '--report pdf=x is not FORMAT=FILE'],
    [['--report', 'sarif', 'a.yaml'], '--report sarif is not FORMAT=FILE'],
    [['--fix', '--defaults', '1.34'], '--fix without files'],
    [['--write', '-'], '--write with standard input'],
    [['--diff-base', '.', '-'], '--diff-base without files'],
    [['--config', 'none.yaml', 'a.yaml'], 'none.yaml: error: cannot be read'],
  ])('is 2 for %j', async (args, message) => {
    write({ 'a.yaml': FIXED })
    const { code, stderr } = await lint(...args)
    expect(stderr).toContain(message)
    expect(code).toBe(2)
  })
})

describe('.kubectl-apf.yaml', () => {
  const args = ['a.yaml', '-o', 'json', '-q']

  it('says targets, severities and the threshold', async () => {
    write({
      'a.yaml': DANGLING,
      '.kubectl-apf.yaml': 'targets: [1.30, 1.34]\nfailOn: info\nrules: {APF201: info}\n',
    })
    const run = await lint(...args)
    expect(run.code).toBe(1)
    expect(JSON.parse(run.stdout).summary.targets).toEqual(['1.30', '1.34'])
    expect(found(run)).toContainEqual(expect.objectContaining({ rule: 'APF201', severity: 'info' }))
  })

  it('switches rules off', async () => {
    write({ 'a.yaml': DANGLING, '.kubectl-apf.yaml': 'rules:\n  APF201: off\n' })
    expect(found(await lint(...args))).toEqual([])
  })

  it('yields to flags', async () => {
    write({ 'a.yaml': DANGLING, '.kubectl-apf.yaml': "targets: ['1.30']\nfailOn: info\n" })
    const { code, stdout } = await lint(...args, '--target', '1.37', '--fail-on', 'error')
    expect(code).toBe(0)
    expect(JSON.parse(stdout).summary.targets).toEqual(['1.37'])
  })

  it('is found in a folder above, within the repository', async () => {
    write({ '.kubectl-apf.yaml': 'rules:\n  APF201: off\n', 'repo/flow/a.yaml': DANGLING })
    mkdirSync(join(folder, '.git'))
    const inFlow = () => apf(['lint', ...args], { cwd: join(folder, 'repo/flow') })
    expect(found(await inFlow())).toEqual([])
    mkdirSync(join(folder, 'repo/.git'))
    expect(found(await inFlow())).not.toEqual([])
  })

  it('is refused with every fault and its place', async () => {
    write({ 'a.yaml': DANGLING, '.kubectl-apf.yaml': 'rule: {}\nrules:\n  APF2O1: off\n' })
    const { code, stdout, stderr } = await lint('a.yaml')
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
    expect(stderr).toBe(`\
.kubectl-apf.yaml:1:7: error: unknown key "rule"
  → did you mean rules?
.kubectl-apf.yaml:3:11: error: there is no rule APF2O1; did you mean APF201?
`)
  })
})

describe('--fix', () => {
  it('prints the file with what can be fixed fixed, and what is left on stderr', async () => {
    write({ 'a.yaml': DANGLING })
    const { code, stdout, stderr } = await lint('a.yaml', '--target', '1.34', '--fix')
    expect({ code, stdout }).toEqual({ code: 0, stdout: FIXED })
    expect(stderr).toContain('1 fixed in 1 file\nno findings in 1 object of 1 file')
    expect(read('a.yaml')).toBe(DANGLING)
  })

  it('works as a filter', async () => {
    const { stdout } = await apf(['lint', '-', '--target', '1.34', '--fix', '-q'], { stdin: DANGLING })
    expect(stdout).toBe(FIXED)
    const again = await apf(['lint', '-', '--target', '1.34', '--fix'], { stdin: stdout })
    expect(again.stdout).toBe(FIXED)
    expect(again.stderr).toContain('nothing to fix')
  })

  it('parts several files', async () => {
    const other = OTHER.trimEnd()
    write({ 'a.yaml': other, 'b.yaml': DANGLING })
    const { stdout } = await lint('.', '--target', '1.34', '--fix', '-q')
    expect(stdout).toBe(`${other}\n---\n${FIXED}`)
  })

  it('with --write changes the files in place, line ends and byte order mark kept', async () => {
    write({
      'a.yaml': `\ufeff${DANGLING.replaceAll('\n', '\r\n')}`,
      'b.yaml': OTHER,
    })
    const before = read('b.yaml')
    const { code, stdout, stderr } = await lint('.', '--target', '1.34', '--write')
    expect({ code, stdout }).toEqual({ code: 0, stdout: 'no findings in 2 objects of 2 files for Kubernetes 1.34\n' })
    expect(stderr).toContain('1 fixed in 1 file')
    expect(read('a.yaml')).toBe(`\ufeff${FIXED.replaceAll('\n', '\r\n')}`)
    expect(read('b.yaml')).toBe(before)
  })

  it('leaves what is suppressed', async () => {
    const text = DANGLING.replace('# shared', '# apf-lint: ignore APF201 reason="soon"')
    write({ 'a.yaml': text })
    expect((await lint('a.yaml', '--target', '1.34', '--fix', '-q')).stdout).toBe(text)
  })
})

describe('--diff-base', () => {
  const tie = OTHER.replace('resources: [pods]', 'resources: [pod]')

  it('leaves out what the folder has too, lines shifted or files renamed', async () => {
    write({ 'old/flow/a.yaml': DANGLING, 'flow/b.yaml': `# moved\n${DANGLING}---\n${tie}` })
    const run = await lint('flow', '--target', '1.34', '--diff-base', 'old', '-o', 'json')
    expect(found(run).map(({ rule }) => rule)).toEqual(['APF208'])
    expect(JSON.parse(run.stdout).summary).toMatchObject({ known: 1, warnings: 1 })
  })

  it('takes the folder itself where it has none of the paths', async () => {
    write({ 'old/a.yaml': DANGLING, 'new/a.yaml': DANGLING })
    const run = await lint('new', '--target', '1.34', '--diff-base', 'old')
    expect(run.stdout).toContain('1 known from the base')
  })

  it('takes a commit of git', async () => {
    const git = (...args: string[]) =>
      execFileSync('git', ['-c', 'user.name=ann', '-c', 'user.email=ann@shop.example', ...args], { cwd: folder })
    write({ 'flow/a.yaml': DANGLING, 'README.md': 'shop' })
    git('init', '-q')
    git('add', '.')
    git('commit', '-q', '-m', 'Begin')
    write({ 'flow/a.yaml': `${DANGLING}---\n${tie}` })
    const run = await lint('flow/a.yaml', '--target', '1.34', '--diff-base', 'HEAD', '-o', 'json')
    expect(found(run).map(({ rule }) => rule)).toEqual(['APF208'])
    const inFolder = await apf(['lint', '.', '--target', '1.34', '--diff-base', 'HEAD', '-o', 'json'], {
      cwd: join(folder, 'flow'),
    })
    expect(found(inFolder).map(({ rule }) => rule)).toEqual(['APF208'])
    expect(found(await lint('.', '--target', '1.34', '--diff-base', 'HEAD', '-o', 'json'))).toHaveLength(1)
    write({ 'more/b.yaml': DANGLING })
    expect(found(await lint('more', '--target', '1.34', '--diff-base', 'HEAD', '-o', 'json'))).toHaveLength(1)
  })

  it('says why it cannot', async () => {
    write({ 'a.yaml': FIXED })
    const outside = await lint('a.yaml', '--diff-base', 'main')
    expect(outside).toMatchObject({ code: 2, stdout: '' })
    expect(outside.stderr).toContain(
      'error: --diff-base main: neither a folder nor a commit of git\n  not a git repository',
    )
    const without = await apf(['lint', 'a.yaml', '--diff-base', 'main'], { cwd: folder, env: { PATH: onlyNode() } })
    expect(without.code).toBe(2)
    expect(without.stderr).toContain('git is not installed')
  })

  /** A search path on which there is no git. */
  function onlyNode(): string {
    const bin = join(folder, 'bin')
    mkdirSync(bin)
    symlinkSync(process.execPath, join(bin, 'node'))
    symlinkSync('/usr/bin/env', join(bin, 'env'))
    return bin
  }
})

describe('--report', () => {
  it('writes several reports besides', async () => {
    write({ 'a.yaml': DANGLING })
    const reports = ['sarif=out.sarif', 'junit=out.xml', 'json=out=1.json', 'table=out.txt']
    const { stdout } = await lint(
      'a.yaml',
      '--target',
      '1.34',
      '-o',
      'github',
      ...reports.flatMap((each) => ['--report', each]),
    )
    expect(stdout).toMatch(/^::warning file=a\.yaml,line=9,col=11,endColumn=22,title=APF201 dangling::/)
    expect(JSON.parse(read('out.sarif')).runs[0].results[0].ruleId).toBe('APF201')
    expect(read('out.xml')).toContain('<testsuite name="a.yaml"')
    expect(JSON.parse(read('out=1.json')).kind).toBe('Findings')
    expect(read('out.txt')).toContain('[APF201]')
  })

  it('says where a report cannot be written', async () => {
    write({ 'a.yaml': DANGLING })
    const { code, stderr } = await lint('a.yaml', '--report', 'sarif=none/out.sarif')
    expect(code).toBe(3)
    expect(stderr).toContain('error: the report none/out.sarif cannot be written')
  })
})

describe('files that were not made for it', () => {
  it('are named with what to do', async () => {
    write({
      'chart/templates/schema.yaml': DANGLING.replace('shop-reports', '{{ .Values.name }}'),
      'kustomization.yaml': 'resources: [a.yaml]\n',
      'a.yaml': DANGLING,
    })
    copyFileSync(join(folder, 'a.yaml'), join(folder, 'copy.json5'))
    const { code, stdout, stderr } = await lint('.', '--target', '1.34')
    expect(code).toBe(2)
    expect(stderr).toMatch(/schema\.yaml:\d+:\d+: error: not (?:YAML|a value) yet: found the template/)
    expect(stdout).toContain('[APF201]')
  })

  it('may hold links in circles', async () => {
    write({ 'flow/a.yaml': DANGLING })
    symlinkSync('..', join(folder, 'flow/up'))
    expect((await lint('flow', '--target', '1.34')).stdout).toContain('1 warning in 1 object of 1 file')
  })
})
