/** A Status as attribution needs it: from a body, an audit event, or the words of kubectl. */
import { isObject } from '../plain-data.ts'

export interface StatusView {
  /** HTTP status code; null where it is not told. */
  code: number | null
  /** "" where there is none; null where it is not told. */
  reason: string | null
  message: string
  causes: readonly { reason: string; message: string }[]
  retryAfterSeconds: number | null
}

/** Reads a Status, with or without `kind`; null for anything else. */
export function statusView(value: unknown): StatusView | null {
  if (!isObject(value)) return null
  const { kind, status, message, reason, code, details } = value
  if (kind !== undefined && kind !== 'Status' && kind !== '') return null
  if (kind === undefined && status !== 'Failure') return null
  return looseStatusView({ message, reason, code, details })
}

/** Reads what is there; audit events hold a Status of which only the code is sure. */
export function looseStatusView(value: Record<string, unknown>): StatusView {
  const { message, reason, code, details } = value
  const detail = isObject(details) ? details : {}
  const causes = Array.isArray(detail['causes']) ? detail['causes'] : []
  return {
    code: typeof code === 'number' ? code : null,
    reason: typeof reason === 'string' ? reason : '',
    message: typeof message === 'string' ? message : '',
    causes: causes
      .filter(isObject)
      .map((cause) => ({ reason: text(cause['reason']), message: text(cause['message']) })),
    retryAfterSeconds: typeof detail['retryAfterSeconds'] === 'number' ? detail['retryAfterSeconds'] : null,
  }
}

function text(value: unknown): string {
  return typeof value === 'string' ? value : ''
}
