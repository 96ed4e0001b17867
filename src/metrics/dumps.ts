/**
 * Reads the debug dumps of fairness, which have other columns in other releases: by the names in the header, never by
 * position.
 * Source: kubernetes/apiserver pkg/util/flowcontrol/apf_controller_debug.go.
 */
import type { Problem } from '../apf/problem.ts'
import { METRICS_PROBLEM } from './metrics-problems.ts'

/** Cells as written, trimmed. */
export interface DumpTable {
  columns: string[]
  rows: Record<string, string>[]
  problems: Problem[]
}

const LEVEL_COLUMN = 'PriorityLevelName'

/**
 * Reads a dump of any release. Nothing in a dump is quoted: where the name of a user, flow, object or a path has commas,
 * the cells around it are recognised by their form; a row that remains ambiguous is a problem, and left out.
 */
export function readDump(file: string, text: string): DumpTable {
  const [header = '', ...lines] = text.split('\n')
  const columns = cellsOf(header).map((cell) => cell.trim())
  if (!columns.includes(LEVEL_COLUMN)) {
    const message = `is no debug dump of priority and fairness: the first line has no column ${LEVEL_COLUMN}`
    return { columns: [], rows: [], problems: [problem(file, 1, 'error', message)] }
  }
  const rows: Record<string, string>[] = []
  const problems: Problem[] = []
  for (const [index, line] of lines.entries()) {
    if (line.trim() === '') continue
    const cells = cellsOf(line)
    const fitted = cells.length <= columns.length ? cells : joined(columns, cells)
    if (fitted === null || fitted.length < columns.length) {
      const message = `the row has ${cells.length} cells for ${columns.length} columns; left out`
      problems.push(problem(file, index + 2, 'warning', message))
      continue
    }
    rows.push(Object.fromEntries(columns.map((column, at) => [column, (fitted[at] ?? '').trim()])))
  }
  return { columns, rows, problems }
}

function problem(file: string, line: number, severity: Problem['severity'], message: string): Problem {
  return { code: METRICS_PROBLEM.dumpColumns, severity, message, at: { file, line } }
}

/** A cell ends with a comma, the last one with the line; both are padded. */
function cellsOf(line: string): string[] {
  return line.split(',')
}

/** Columns whose cells are of one form, and cannot be mistaken for a piece of a name. */
const INTEGER = /^-?\d+$/
const TIME = /^\d{4}-\d\d-\d\dT[\d:.]+Z$/
const DURATION = /^(?:0s|-?(?:[\d.]+(?:h|ms|m|s|µs|ns))+)$/
const FORMS: Readonly<Record<string, RegExp>> = {
  QueueIndex: INTEGER,
  RequestIndexInQueue: INTEGER,
  ArriveTime: TIME,
  InitialSeats: INTEGER,
  FinalSeats: INTEGER,
  AdditionalLatency: DURATION,
  StartTime: TIME,
  Verb: /^[a-z]+$/,
  APIPath: /^\//,
  APIVersion: /^(?:[a-z0-9.-]+\/)?(?:v\d\w*)?$/,
  Resource: /^[a-z0-9.-]*$/,
}

/** Columns whose cells may hold commas, in the order in which they stand. */
const FREE_TEXT: ReadonlySet<string> = new Set(['FlowDistingsher', 'UserName', 'APIPath', 'Name'])

/**
 * Joins surplus cells to those of free text, so that every other cell has the form of its column. Null if there is no way,
 * or more than one.
 */
function joined(columns: readonly string[], cells: readonly string[]): string[] | null {
  const fits: string[][] = []
  extend(columns, cells, [], fits)
  const [only, other] = narrowed(columns, fits)
  return only === undefined || other !== undefined ? null : only
}

/** More ways than any name that people choose has; a name of commas alone would have millions. */
const MAX_FITS = 64

function extend(columns: readonly string[], cells: readonly string[], done: readonly string[], fits: string[][]): void {
  const column = columns[done.length]
  if (fits.length >= MAX_FITS) return
  if (column === undefined) {
    if (cells.length === 0) fits.push([...done])
    return
  }
  const left = columns.length - done.length
  const surplus = cells.length - left
  const most = FREE_TEXT.has(column) ? surplus : 0
  for (let taken = 0; taken <= most; taken++) {
    const cell = cells.slice(0, taken + 1).join(',')
    if (FORMS[column]?.test(cell.trim()) ?? true) extend(columns, cells.slice(taken + 1), [...done, cell], fits)
  }
}

/**
 * Of several ways, those that fit what a row says twice: the flow is the user in all schemas that distinguish by user, and
 * the path of an object has its namespace and name.
 */
function narrowed(columns: readonly string[], fits: string[][]): string[][] {
  const cell = (cells: readonly string[], column: string) => cells[columns.indexOf(column)]?.trim() ?? ''
  const isByUser = (cells: string[]) => cell(cells, 'FlowDistingsher') === cell(cells, 'UserName')
  const isOfPath = (cells: string[]) => {
    const [path, namespace, name] = ['APIPath', 'Namespace', 'Name'].map((column) => cell(cells, column))
    return path?.includes(namespace ? `/namespaces/${namespace}` : '/') && path.endsWith(name ? `/${name}` : '')
  }
  return [isOfPath, isByUser].reduce((left, fitsBetter) => {
    const better = left.filter(fitsBetter)
    return left.length > 1 && better.length > 0 ? better : left
  }, fits)
}

/** One row of dump_priority_levels; null for columns that the release does not have, and for exempt before 1.28. */
export interface LevelDump {
  name: string
  quiescing: boolean | null
  waitingRequests: number | null
  executingRequests: number | null
  dispatched: number | null
  rejected: number | null
}

export function levelDumps({ rows }: DumpTable): LevelDump[] {
  return rows.map((row) => ({
    name: row[LEVEL_COLUMN] ?? '',
    quiescing: row['IsQuiescing'] === 'true' ? true : row['IsQuiescing'] === 'false' ? false : null,
    waitingRequests: integer(row['WaitingRequests']),
    executingRequests: integer(row['ExecutingRequests']),
    dispatched: integer(row['DispatchedRequests']),
    rejected: integer(row['RejectedRequests']),
  }))
}

function integer(cell: string | undefined): number | null {
  return cell !== undefined && INTEGER.test(cell) ? Number(cell) : null
}
