import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Problem } from '../../src/apf/problem.ts'
import { readFiles } from '../../src/sources/files.ts'

let folder = ''
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'unrendered-'))
})
afterEach(() => rmSync(folder, { recursive: true }))

function schema(name: string): string {
  return `apiVersion: flowcontrol.apiserver.k8s.io/v1\nkind: FlowSchema\nmetadata: {name: ${name}}\nspec: {}\n`
}

async function* nothing() {}

async function read(files: Readonly<Record<string, string>>, path = '') {
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true })
    writeFileSync(join(folder, name), text)
  }
  const { found } = await readFiles([join(folder, path)], nothing())
  const problems = found.flatMap((entry) => ('problem' in entry ? [printed(entry.problem)] : []))
  return { objects: found.length - problems.length, problems }
}

function printed({ severity, message, fix, at }: Problem): string {
  return `${severity} ${at?.file}: ${message}; ${fix}`.replaceAll(`${folder}/`, '')
}

describe('a file that is named', () => {
  it.each(['app.jsonnet', 'lib.libsonnet'])('in Jsonnet, %s, is to be rendered', async (name) => {
    expect((await read({ [name]: 'local x = 1; {}' }, name)).problems).toEqual([
      `error ${name}: a Jsonnet program, not a manifest; render it first, as in: jsonnet ${name} | kubectl apf … --from -`,
    ])
  })

  it('in JSON5 is said to be that where it is no YAML', async () => {
    for (const text of [
      '// schemas\n{kind: 1}',
      '{ // schemas\n kind: 1}',
      "{kind: 'x', /* all */ a: 1}",
      '{kind: +1, }}',
    ]) {
      expect((await read({ 'x.json5': text }, 'x.json5')).problems[0]).toMatch(
        /JSON5 is not read, by kubectl neither: convert it to JSON first$/,
      )
    }
  })

  it('in JSON5 that is YAML as well is read', async () => {
    const text =
      "{apiVersion: 'flowcontrol.apiserver.k8s.io/v1', kind: 'FlowSchema', metadata: {name: 'shop'}, spec: {},}"
    expect(await read({ 'x.json5': text }, 'x.json5')).toEqual({ objects: 1, problems: [] })
  })

  it('and is a kustomization is to be built', async () => {
    expect(
      (await read({ 'flow/kustomization.yaml': 'resources: [x.yaml]\n' }, 'flow/kustomization.yaml')).problems,
    ).toEqual([
      'error flow/kustomization.yaml: a plan for Kustomize, not a manifest; render it first, as in: kubectl kustomize flow | kubectl apf … --from -',
    ])
  })
})

describe('a folder', () => {
  const files = {
    'flow/shop.yaml': schema('shop'),
    'flow/patch.yaml': schema('patch'),
    'flow/base/web.yaml': schema('web'),
  }

  it.each(['kustomization.yaml', 'kustomization.yml', 'Kustomization'])(
    'with a %s that patches is not read',
    async (name) => {
      const plan = 'resources: [base, shop.yaml]\npatches: [{path: patch.yaml}]\n'
      expect(await read({ ...files, [`flow/${name}`]: plan }, 'flow')).toEqual({
        objects: 1,
        problems: [
          `warning flow/${name}: Kustomize makes objects of the files in this folder; they are not read; render it first, as in: kubectl kustomize flow | kubectl apf … --from -`,
        ],
      })
    },
  )

  it('with a kustomization that only lists its files is read', async () => {
    const plan = 'kind: Kustomization\nresources: [shop.yaml]\n'
    expect(await read({ ...files, 'flow/kustomization.yaml': plan }, 'flow')).toEqual({ objects: 3, problems: [] })
  })

  it('with programs in it is read without them', async () => {
    expect(await read({ 'shop.yaml': schema('shop'), 'x.jsonnet': '{}' })).toEqual({ objects: 1, problems: [] })
  })

  it('with links to themselves is read', async () => {
    symlinkSync('round', join(folder, 'round'))
    symlinkSync('round.yaml', join(folder, 'round.yaml'))
    expect(await read({ 'shop.yaml': schema('shop') })).toEqual({
      objects: 1,
      problems: ['error round.yaml: cannot be read: too many symbolic links; undefined'],
    })
  })
})
