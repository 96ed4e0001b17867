import type { Provider, ProviderObject } from './provider.ts'

/** The guard's schema and its level. */
export const AKS_GUARD = 'aks-managed-apiserver-guard'

/** On the guard's objects: AKS leaves them as they are. */
const SKIP_UPDATE_LABEL = { 'aks-managed-skip-update-operation': 'true' }

/** Source: the troubleshooting guide of AKS for the API server and etcd. */
const GUARD: Omit<ProviderObject, 'kind'> = {
  name: AKS_GUARD,
  purpose: 'throttles clients that are not of the system after the API server ran out of memory again and again',
  reconciled: { by: 'AKS', unless: SKIP_UPDATE_LABEL },
  change:
    'find and mend the clients whose LISTs cost most first; deleted before, it leaves the server without protection or comes back',
}

export const AKS: Provider = {
  name: 'AKS',
  objects: [
    { ...GUARD, kind: 'FlowSchema' },
    { ...GUARD, kind: 'PriorityLevelConfiguration' },
  ],
}
