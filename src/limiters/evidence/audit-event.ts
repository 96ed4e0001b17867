/**
 * Audit events. The limiters stand before authorization, everything else behind it: its annotation tells them apart.
 * Source: kubernetes/apiserver pkg/endpoints/filters/{audit,authorization}.go
 */

import { type Attribution, attribution, withFields } from '../attribution.ts'
import { unattributed } from '../layers/server-429-unattributed.ts'
import { isObject } from '../plain-data.ts'
import { attributeMessage } from './message.ts'
import { looseStatusView } from './status-view.ts'

/** Whether a JSON object is an event of the audit log. */
export function isAuditEvent(value: Record<string, unknown>): boolean {
  return typeof value['auditID'] === 'string' && typeof value['stage'] === 'string'
}

const DECISION = 'authorization.k8s.io/decision'

/** Null for an event that shows no throttling, and for all stages but the last of a request. */
export function attributeAuditEvent(event: Record<string, unknown>): Attribution | null {
  // A WATCH leaves an event when it starts and one when it ends, with the same code.
  if (event['stage'] !== 'ResponseComplete' && event['stage'] !== 'Panic') return null
  const responseStatus = event['responseStatus']
  if (!isObject(responseStatus)) return null
  const status = looseStatusView(responseStatus)
  const annotations = isObject(event['annotations']) ? event['annotations'] : {}
  const hasAuthorizationDecision = annotations[DECISION] !== undefined
  const found = byStatus(status.message, status, hasAuthorizationDecision)
  if (found === null) return null
  const user = isObject(event['impersonatedUser']) ? event['impersonatedUser'] : event['user']
  return withFields(found, {
    hasAuthorizationDecision,
    user: isObject(user) ? text(user['username']) : undefined,
    groups: isObject(user) ? groupsOf(user['groups']) : undefined,
    verb: text(event['verb']),
    uri: text(event['requestURI']),
    userAgent: text(event['userAgent']),
    code: status.code ?? undefined,
    retryAfterSeconds: status.retryAfterSeconds ?? undefined,
    auditId: text(event['auditID']),
  })
}

function byStatus(
  message: string,
  status: ReturnType<typeof looseStatusView>,
  isAuthorized: boolean,
): Attribution | null {
  const found = message === '' ? null : attributeMessage(message, status)
  if (found) return found
  if (status.code !== 429) return null
  if (!isAuthorized) return attribution('apf-or-max-inflight', 'rejected-before-authorization', 'high')
  // The server in front knows only the code of what a backend answered.
  if (message === '') return attribution('aggregated-api', 'backend-429', 'high')
  return unattributed({ message })
}

function groupsOf(value: unknown): string[] | undefined {
  return Array.isArray(value) ? value.filter((group) => typeof group === 'string') : undefined
}

function text(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined
}
