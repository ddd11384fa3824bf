// spec: rpc 6.13: eth_sendRawTransactions: a fee-delegated one, and one that is refused
>> {"jsonrpc":"2.0","id":1,"method":"eth_sendRawTransactions","params":[["${delegated tx}","${low tip}"]]}
<< {"id":1,"jsonrpc":"2.0","result":["${delegated}","<hash>"]}
>> {"jsonrpc":"2.0","id":1,"method":"eth_sendRawTransactions","params":[[]]}
<< {"id":1,"jsonrpc":"2.0","result":null}
