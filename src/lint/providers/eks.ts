import type { Provider, ProviderObject } from './provider.ts'

/** Source: the best practices guide of EKS (scaling the control plane), and managed fields of clusters of 1.31. */
const RECONCILED: ProviderObject['reconciled'] = {
  by: 'the control plane of EKS (field manager eks-internal)',
  unless: null,
}
const CHANGE = 'EKS applies it again; make a FlowSchema of your own with a smaller matchingPrecedence instead'

export const EKS: Provider = {
  name: 'EKS',
  objects: [
    schema('eks-exempt', 'sends requests of EKS itself to exempt'),
    schema('eks-leader-election', 'leader election, by its name'),
    schema('eks-monitoring', 'monitoring, by its name'),
    schema('eks-workload-high', 'sends controllers of EKS to workload-high'),
    { ...schema('eks-monitoring', 'the level of the FlowSchema of that name'), kind: 'PriorityLevelConfiguration' },
  ],
}

function schema(name: string, purpose: string): ProviderObject {
  return { kind: 'FlowSchema', name, purpose, reconciled: RECONCILED, change: CHANGE }
}
