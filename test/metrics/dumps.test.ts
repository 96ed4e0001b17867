import { describe, expect, it } from 'vitest'
import { levelDumps, readDump } from '../../src/metrics/dumps.ts'

const REQUESTS =
  'PriorityLevelName, FlowSchemaName, QueueIndex, RequestIndexInQueue, FlowDistingsher, ArriveTime, InitialSeats, FinalSeats, AdditionalLatency, StartTime'
const DETAILS = `${REQUESTS}, UserName, Verb, APIPath, Namespace, Name, APIVersion, Resource, SubResource`
const TIME = '2026-03-09T08:15:27.5Z'

const row = (flow: string, user: string, path = '/api/v1/namespaces/shop/pods', name = '') =>
  `l, s, 1, 0, ${flow}, ${TIME}, 10, 0, 12.5ms, 0001-01-01T00:00:00Z, ${user}, get, ${path}, shop, ${name}, v1, pods, `

describe('commas in cells', () => {
  it.each([
    ['of flow and user', row('a,b', 'a,b'), { FlowDistingsher: 'a,b', UserName: 'a,b' }],
    ['and blanks', row('a, b,', 'a, b,'), { FlowDistingsher: 'a, b,', UserName: 'a, b,' }],
    ['of the flow alone', row('x,y', 'dana'), { FlowDistingsher: 'x,y', UserName: 'dana' }],
    [
      'of path and name',
      row('', 'dana', '/api/v1/namespaces/shop/pods/a,b', 'a,b'),
      { Namespace: 'shop', Name: 'a,b' },
    ],
    ['by the hundred', row(','.repeat(300), ','.repeat(300)), { UserName: ','.repeat(300) }],
  ])('%s are told from those between cells', (_, line, cells) => {
    const { rows, problems } = readDump('dump', `${DETAILS}\n${line}\n`)
    expect(problems).toEqual([])
    expect(rows).toMatchObject([{ ...cells, Resource: 'pods', SubResource: '' }])
  })

  it('that leave more than one reading make a problem of the row', () => {
    const { rows, problems } = readDump('dump', `${DETAILS}\n${row('', 'dana', '/a,b', 'c')}\n`)
    expect(rows).toEqual([])
    expect(problems).toMatchObject([{ code: 'dump-columns', severity: 'warning', at: { file: 'dump', line: 2 } }])
  })
})

describe('columns', () => {
  it('may be more and fewer than known ones', () => {
    const { rows } = readDump('dump', 'PriorityLevelName, NewColumn, IsQuiescing\nl, 7, true\n')
    expect(rows).toEqual([{ PriorityLevelName: 'l', NewColumn: '7', IsQuiescing: 'true' }])
    expect(levelDumps({ columns: [], rows, problems: [] })).toEqual([
      {
        name: 'l',
        quiescing: true,
        waitingRequests: null,
        executingRequests: null,
        dispatched: null,
        rejected: null,
      },
    ])
  })

  it.each(['404 page not found\n', '', '{"kind":"Status"}'])('%j has none', (text) => {
    expect(readDump('dump', text)).toMatchObject({ rows: [], problems: [{ severity: 'error' }] })
  })

  it('that a row lacks make a problem of it', () => {
    const { rows, problems } = readDump('dump', 'PriorityLevelName, IsIdle\nl\nm, true\n')
    expect(rows).toEqual([{ PriorityLevelName: 'm', IsIdle: 'true' }])
    expect(problems[0]?.message).toBe('the row has 1 cells for 2 columns; left out')
  })
})
