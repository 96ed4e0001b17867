/** Recordings of real servers, libraries and clients; the JSON beside says by hand what each of them shows. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { answerHeaders, attributeAnswer } from '../../src/limiters/evidence/answer.ts'
import { ROOT } from '../support/cli.ts'
import { counted, findingsIn } from '../support/evidence.ts'

type Counts = Record<string, number>

const FOLDER = `${ROOT}test/fixtures/limiters`
const EXPECTED: Record<string, Counts | Record<string, Counts>> = JSON.parse(
  readFileSync(new URL('attributed-recordings.json', import.meta.url), 'utf8'),
)

const read = (name: string) => readFileSync(join(FOLDER, name), 'utf8')
const json = (name: string) => JSON.parse(read(name))
const names = Object.keys(EXPECTED)

it('has an expectation for every recording', () => {
  const folders = ['.', 'client-go', 'kubectl', 'cilium']
  const files = folders.flatMap((folder) => readdirSync(join(FOLDER, folder)).map((name) => join(folder, name)))
  expect(names.toSorted()).toEqual(files.filter((name) => /\.(?:json|log)$/.test(name)).toSorted())
})

describe.each(names.filter((name) => name.endsWith('.log')))('%s', (name) => {
  it('is attributed line by line', async () => {
    expect(counted((await findingsIn(read(name))).items)).toEqual(EXPECTED[name])
  })
})

describe.each(names.filter((name) => name.endsWith('-evidence.json')))('%s', (name) => {
  const parts = Object.entries(EXPECTED[name] ?? {})

  it.each(parts)('has in its %s', async (part, expected) => {
    const lines = json(name)[part].map((each: unknown) => (typeof each === 'string' ? each : JSON.stringify(each)))
    expect(counted((await findingsIn(`${lines.join('\n')}\n`)).items)).toEqual(expected)
  })
})

interface Exchange {
  request: { path: string }
  response?: { status: number; headers: [string, string][]; body: string }
}

describe.each(names.filter((name) => /^(?!.*(?:-evidence|erl-config)).*\.json$/.test(name)))('%s', (name) => {
  const exchanges: Exchange[] = json(name)

  it('has answers of these layers', () => {
    const counts: Counts = {}
    for (const { request, response } of exchanges) {
      const found = response && attributed(request.path, response)
      if (found) counts[`${response.status} ${found}`] = (counts[`${response.status} ${found}`] ?? 0) + 1
    }
    expect(counts).toEqual(EXPECTED[name])
  })

  it('says the same of the answers as curl prints them', async () => {
    const printed = exchanges.flatMap(({ request, response }) => (response ? [asCurl(request.path, response)] : []))
    const counts: Counts = {}
    for (const { layer, reason, fields } of (await findingsIn(printed.join('\n'))).items) {
      const key = `${fields['code']} ${layer}/${reason}`
      counts[key] = (counts[key] ?? 0) + 1
    }
    expect(counts).toEqual(EXPECTED[name])
  })
})

function attributed(requestPath: string, { status, headers, body }: NonNullable<Exchange['response']>): string | null {
  const answer = { code: status, headers: answerHeaders(headers, true), body, requestPath, aggregatedApis: null }
  const found = attributeAnswer(answer)
  return found && `${found.layer}/${found.reason}`
}

function asCurl(path: string, { status, headers, body }: NonNullable<Exchange['response']>): string {
  const head = headers.map(([name, value]) => `< ${name}: ${value}\r\n`).join('')
  return `> GET ${path} HTTP/1.1\r\n> Host: localhost\r\n>\r\n< HTTP/1.1 ${status} X\r\n${head}< \r\n${body}`
}

describe.each(names.filter((name) => name.startsWith('erl-config')))('%s', (name) => {
  it('names EventRateLimit where the server does', async () => {
    const counts: Counts = {}
    for (const { lines = [] } of json(name) as { lines?: string[] }[]) {
      const { items } = await findingsIn(`${lines.join('\n')}\n`)
      const key = counted(items)['event-rate-limit/config-invalid'] === 1 ? 'config-invalid' : 'other'
      counts[key] = (counts[key] ?? 0) + 1
      const isNamed = lines.some((line) => line.includes('init admission plugin'))
      expect(key === 'config-invalid', lines.join('\n')).toBe(isNamed)
    }
    expect(counts).toEqual(EXPECTED[name])
  })
})
