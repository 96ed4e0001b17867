/** Exit codes of every command; docs/commands tell what each means for a gate. */
export const EXIT = {
  /** The answer was obtained and nothing at or above the asked-for threshold was found. */
  ok: 0,
  /** The answer was obtained: findings, failed expectations, differences. */
  findings: 1,
  /** Usage error or invalid input. */
  usage: 2,
  /** The answer could not be obtained. */
  unanswered: 3,
} as const

export type ExitCode = (typeof EXIT)[keyof typeof EXIT]

/** 3 beats 2, 2 beats 1, 1 beats 0. */
export function worstExit(...codes: readonly ExitCode[]): ExitCode {
  const worst = Math.max(EXIT.ok, ...codes)
  return codes.find((code) => code === worst) ?? EXIT.ok
}

/** Why a command ends without its answer: one line what, one why, one what to do. Empty lines are left out. */
export interface Failure {
  exitCode: ExitCode
  what: string
  why?: string
  next?: string
}

/** Ends a command. The only error that commands throw on purpose. */
export class CliError extends Error {
  readonly failure: Failure

  constructor(failure: Failure) {
    super(failure.what)
    this.name = 'CliError'
    this.failure = failure
  }
}

/** A wrong call: exit code 2. */
export function usageError(what: string, why?: string, next?: string): CliError {
  const failure: Failure = { exitCode: EXIT.usage, what }
  if (why !== undefined) failure.why = why
  if (next !== undefined) failure.next = next
  return new CliError(failure)
}
