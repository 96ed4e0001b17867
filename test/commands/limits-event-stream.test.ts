import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import type { Io } from '../../src/cli/io.ts'
import { readEventStream } from '../../src/commands/limits/event-stream.ts'

const folder = mkdtempSync(join(tmpdir(), 'apf-events-'))
afterAll(() => rmSync(folder, { recursive: true }))

/** @param chunk  bytes that come at once on standard input */
function ioWith(stdin: string, chunk = 7): Io {
  const bytes = Buffer.from(stdin)
  const sink = { write: () => undefined, isTTY: false, columns: null }
  return {
    stdin: (async function* () {
      for (let start = 0; start < bytes.length; start += chunk) yield bytes.subarray(start, start + chunk)
    })(),
    stdout: sink,
    stderr: sink,
    env: {},
    colour: 'never',
  }
}

function audit(at: string, more: object = {}) {
  return {
    kind: 'Event',
    apiVersion: 'audit.k8s.io/v1',
    stage: 'ResponseComplete',
    requestURI: '/api/v1/namespaces/shop/events',
    verb: 'create',
    user: { username: 'jane' },
    objectRef: { resource: 'events', namespace: 'shop', name: 'web-0.17f3a1b2c3d4e5f6', apiVersion: 'v1' },
    responseStatus: { code: 201 },
    annotations: { 'authorization.k8s.io/decision': 'allow' },
    requestReceivedTimestamp: at,
    ...more,
  }
}

function object(more: object = {}) {
  return {
    kind: 'Event',
    apiVersion: 'v1',
    metadata: { namespace: 'shop' },
    involvedObject: { kind: 'Pod', name: 'web-0' },
    source: { component: 'kubelet', host: 'n1' },
    firstTimestamp: '2026-10-01T08:00:00Z',
    lastTimestamp: '2026-10-01T08:00:10Z',
    ...more,
  }
}

const EARLY = '2026-10-01T08:00:00.000900Z'
const LATE = '2026-10-01T08:00:01.000100Z'

describe('events to play, in every form that carries them', () => {
  const two = [audit(LATE), audit(EARLY)]
  const forms: [form: string, text: string][] = [
    ['lines', two.map((event) => JSON.stringify(event)).join('\n')],
    ['lines behind blank ones', `\n \n${two.map((event) => JSON.stringify(event)).join('\n')}\n`],
    ['an array on one line', JSON.stringify(two)],
    ['an array', JSON.stringify(two, null, 2)],
    ['a list', JSON.stringify({ kind: 'EventList', apiVersion: 'audit.k8s.io/v1', items: two }, null, 2)],
    ['a list on one line', JSON.stringify({ kind: 'EventList', apiVersion: 'audit.k8s.io/v1', items: two })],
    ['YAML documents', two.map((event) => `---\n${JSON.stringify(event, null, 1)}\n`).join('')],
  ]

  it.each(forms)('%s, from a file', async (form, text) => {
    const path = join(folder, `${form}.json`)
    writeFileSync(path, text)
    const { writes, malformed } = await readEventStream(path, ioWith(''))
    // In the order of time, with microseconds: less than a second lies between the two.
    expect({ at: writes.map(({ write }) => write.at), malformed }).toEqual({ at: [0, 999_200_000], malformed: 0 })
  })

  it.each(forms)('%s, from standard input', async (_form, text) => {
    const { writes, malformed } = await readEventStream('-', ioWith(text))
    expect({ at: writes.map(({ write }) => write.at), malformed }).toEqual({ at: [0, 999_200_000], malformed: 0 })
  })
})

describe('what a stream of events may hold', () => {
  const read = (...values: unknown[]) =>
    readEventStream('-', ioWith(values.map((each) => JSON.stringify(each)).join('\n')))

  it.each([
    ['403', { responseStatus: { code: 403 } }, 'refused before, with 403'],
    [
      '404',
      { responseStatus: { code: 404 }, verb: 'patch' },
      'of an event or namespace that is not there, refused with 404',
    ],
    ['422', { responseStatus: { code: 422 } }, 'invalid, refused with 422'],
    [
      '429 before authorization',
      { responseStatus: { code: 429 }, annotations: {} },
      'refused by APF or MaxInFlight, with 429',
    ],
  ])('a write answered %s never reached the plugin', async (_code, more, why) => {
    const { writes, left } = await read(audit(EARLY, more))
    expect({ writes, left: [...left] }).toEqual({ writes: [], left: [[why, 1]] })
  })

  it.each([
    ['3', 3, [0, 5e9, 10e9]],
    ['a fraction', 2.9, [0, 10e9]],
    ['below 0', -4, [0]],
    ['text', '9', [0]],
  ])('an object whose count is %s', async (_what, count, at) => {
    const { writes } = await read(object({ count }))
    expect(writes.map(({ write }) => write.at)).toEqual(at)
  })

  it('repeats no object without end', async () => {
    const { writes, left } = await read(object({ count: 2_000_000_000 }), object({ count: 5 }))
    expect(writes.length).toBe(200_002)
    expect([...left]).toEqual([['repetitions beyond the first 200,000', 1_999_799_999 + 4]])
  })
})
