// spec: rpc 4.1: eth_capabilities
>> {"jsonrpc":"2.0","id":1,"method":"eth_capabilities","params":[]}
<< {"id":1,"jsonrpc":"2.0","result":{"blocks":{"disabled":false,"oldestBlock":"0x0"},"head":{"hash":"${block}","number":"0x1"},"logs":{"deleteStrategy":{"retentionBlocks":"0x23dbb0","type":"window"},"disabled":false,"oldestBlock":"0x0"},"receipts":{"disabled":false,"oldestBlock":"0x0"},"state":{"disabled":false,"oldestBlock":"0x0"},"stateproofs":{"disabled":false,"oldestBlock":"0x0"},"tx":{"disabled":false,"oldestBlock":"0x0"}}}
