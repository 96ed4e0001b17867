/** Results of expectations as the contract writes them. */
import type { CaseResult, Tried, TriedProblem } from '../analysis/expectations/check.ts'
import { type Coverage, percentOf, type Share } from '../analysis/expectations/coverage.ts'
import type { Expectation, ExpectedLanding, Range, SetLanding } from '../analysis/expectations/model.ts'
import { API_VERSION, type Source } from './contract.ts'
import type {
  ActualDocument,
  CoverageShare,
  ExpectDocument,
  ExpectedDocument,
  LandingDocument,
  RangeDocument,
  TestCoverage,
  TestedCase,
  TestProblem,
  TestReport,
} from './test-contract.ts'

export function testReport(results: readonly CaseResult[], coverage: Coverage | null, source: Source): TestReport {
  const count = (passed: boolean | null) => results.filter((result) => result.passed === passed).length
  return {
    apiVersion: API_VERSION,
    kind: 'TestReport',
    source,
    cases: results.map(testedCase),
    summary: { passed: count(true), failed: count(false), undecided: count(null) },
    coverage: coverage === null ? null : coverageDocument(coverage),
  }
}

function testedCase({ of, passed, tried, example, problems }: CaseResult): TestedCase {
  const shown = problems.find(({ undecided }) => !undecided) ?? problems[0] ?? example
  const { file = '', line = null, column = null } = of.at
  return {
    name: of.name,
    passed,
    expected: expectedDocument(of),
    actual: shown === null ? null : actualDocument(shown),
    witness: shown?.witness ?? null,
    requests: tried,
    problems: problems.map(problemDocument),
    file,
    line,
    column,
  }
}

function problemDocument(problem: TriedProblem): TestProblem {
  const { why, undecided, witness, at } = problem
  const { line = null, column = null } = at
  return { message: why, undecided, witness, actual: actualDocument(problem), line, column }
}

/** Null where there is no request that lands anywhere. */
function actualDocument({ actual, witness }: Tried): ActualDocument | null {
  const { outcome, entry, ruleIndex, nominalSeats, width } = actual
  if (witness === null && outcome !== 'error') return null
  return {
    outcome,
    flowSchema: entry?.schema.metadata.name ?? null,
    priorityLevel: entry?.level.metadata.name ?? null,
    ruleIndex,
    nominalSeats,
    width,
  }
}

export function expectedDocument(of: Expectation): ExpectedDocument {
  if (of.kind === 'requests') return { expect: expectDocument(of.expected) }
  return { [of.quantifier]: landingDocument(of.landing) }
}

function expectDocument(expected: ExpectedLanding): ExpectDocument {
  const { outcome, nominalSeats, width } = expected
  return {
    ...landingDocument(expected),
    ...(outcome !== null && { outcome }),
    ...(nominalSeats !== null && { level: { nominalSeats: rangeDocument(nominalSeats) } }),
    ...(width !== null && { request: { width: rangeDocument(width) } }),
  }
}

function landingDocument({ flowSchema, priorityLevel }: SetLanding): LandingDocument {
  return { ...(flowSchema !== null && { flowSchema }), ...(priorityLevel !== null && { priorityLevel }) }
}

function rangeDocument({ min, max }: Range): RangeDocument {
  return { ...(min !== null && { min }), ...(max !== null && { max }) }
}

function coverageDocument({ rules, schemas, unexercised, unreachable }: Coverage): TestCoverage {
  return {
    rules: shareDocument(rules),
    schemas: shareDocument(schemas),
    unexercised: unexercised.map(({ entry, ruleIndex, witness }) => ({
      flowSchema: entry.schema.metadata.name,
      ruleIndex,
      witness,
    })),
    unreachable: unreachable.map(({ entry, ruleIndex }) => ({ flowSchema: entry.schema.metadata.name, ruleIndex })),
  }
}

function shareDocument(share: Share): CoverageShare {
  return { ...share, percent: percentOf(share) }
}
