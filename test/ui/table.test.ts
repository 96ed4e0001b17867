import { describe, expect, it } from 'vitest'
import { type Column, renderTable } from '../../src/ui/table.ts'

interface Row {
  order: number
  name: string
  note: string
  where: string
}

const columns: Column<Row>[] = [
  { header: 'ORDER', align: 'right', value: (row) => row.order },
  { header: 'NAME', value: (row) => row.name },
  { header: 'NOTE', value: (row) => row.note },
  { header: 'WHERE', wide: true, value: (row) => row.where },
]
const rows: Row[] = [
  { order: 1, name: 'exempt', note: '', where: 'a.yaml' },
  { order: 12, name: '大阪', note: 'dangling', where: '' },
]

describe('renderTable', () => {
  it('prints upper-case headers, two spaces between, numbers right, nothing behind the last cell', () => {
    const { text, dropped } = renderTable(columns, rows, { headers: true, wide: false, maxWidth: 100, ellipsis: '…' })
    expect(text).toBe('ORDER  NAME    NOTE\n    1  exempt\n   12  大阪    dangling\n')
    expect(dropped).toEqual([])
  })

  it('shows wide columns on demand', () => {
    const { text } = renderTable(columns, rows, { headers: true, wide: true, maxWidth: 10, ellipsis: '…' })
    expect(text).toBe('ORDER  NAME    NOTE      WHERE\n    1  exempt            a.yaml\n   12  大阪    dangling\n')
  })

  it('leaves the header line out', () => {
    expect(renderTable(columns, rows, { headers: false, wide: false, maxWidth: 100, ellipsis: '…' }).text).toBe(
      ' 1  exempt\n12  大阪    dangling\n',
    )
  })

  it.each([
    [23, []],
    [22, ['NOTE']],
    [12, ['NAME', 'NOTE']],
    [1, ['NAME', 'NOTE']],
  ])('fits into %d columns without %j', (maxWidth, dropped) => {
    expect(renderTable(columns, rows, { headers: true, wide: false, maxWidth, ellipsis: '…' }).dropped).toEqual(dropped)
  })

  it.each([
    [
      40,
      'ORDER  WHO                      NOTE\n    1  group system:masters     exempt\n    2  everyone in the cluster  built-in\n',
      [],
      [],
    ],
    [
      33,
      'ORDER  WHO               NOTE\n    1  group system:ma…  exempt\n    2  everyone in the…  built-in\n',
      ['WHO'],
      [],
    ],
    [32, 'ORDER  WHO\n    1  group system:masters\n    2  everyone in the cluster\n', [], ['NOTE']],
    [25, 'ORDER  WHO\n    1  group system:mast…\n    2  everyone in the c…\n', ['WHO'], ['NOTE']],
    [22, 'ORDER\n    1\n    2\n', [], ['WHO', 'NOTE']],
  ])('cuts what may be cut before it drops columns: %d columns', (maxWidth, text, cut, dropped) => {
    const cutting: Column<Row>[] = [
      { header: 'ORDER', align: 'right', value: (row) => row.order },
      { header: 'WHO', cuts: true, value: (row) => row.name },
      { header: 'NOTE', value: (row) => row.note },
    ]
    const long: Row[] = [
      { order: 1, name: 'group system:masters', note: 'exempt', where: '' },
      { order: 2, name: 'everyone in the cluster', note: 'built-in', where: '' },
    ]
    expect(renderTable(cutting, long, { headers: true, wide: false, maxWidth, ellipsis: '…' })).toEqual({
      text,
      cut,
      dropped,
    })
  })

  it('escapes foreign text before it measures it', () => {
    const hostile = [{ order: 1, name: '\x1b[2J', note: 'x', where: '' }]
    expect(renderTable(columns, hostile, { headers: false, wide: false, maxWidth: 100, ellipsis: '…' }).text).toBe(
      '1  \\u{1b}[2J  x\n',
    )
  })

  it('paints cells without counting the paint', () => {
    const painted: Column<Row>[] = [
      { header: 'NAME', value: (row) => row.name, paint: () => (text) => `<${text}>` },
      { header: 'NOTE', value: (row) => row.note },
    ]
    expect(renderTable(painted, rows, { headers: true, wide: false, maxWidth: 100, ellipsis: '…' }).text).toBe(
      'NAME    NOTE\n<exempt>\n<大阪>    dangling\n',
    )
  })

  it('prints the headers alone of an empty table', () => {
    expect(renderTable(columns, [], { headers: true, wide: false, maxWidth: 100, ellipsis: '…' }).text).toBe(
      'ORDER  NAME  NOTE\n',
    )
  })

  it('cuts into the widest of several columns, so that as many as possible stay', () => {
    const several: Column<string>[] = [
      { header: 'FROM', cuts: true, value: () => 'f'.repeat(30) },
      { header: 'TO', cuts: true, value: () => 't'.repeat(20) },
      { header: 'COUNT', value: () => 7 },
    ]
    expect(renderTable(several, [''], { headers: false, wide: false, maxWidth: 43, ellipsis: '…' })).toEqual({
      text: `${'f'.repeat(18)}…  ${'t'.repeat(18)}…  7\n`,
      dropped: [],
      cut: ['FROM', 'TO'],
    })
  })
})
