// spec: rpc 4.1, 7: eth_getHeaderByNumber
>> {"jsonrpc":"2.0","id":1,"method":"eth_getHeaderByNumber","params":["0x1"]}
<< {"id":1,"jsonrpc":"2.0","result":{"baseFeePerGas":"0x12309ce54000","difficulty":"0x1","extraData":"<data>","gasLimit":"0x6422c40","gasUsed":"0x5208","hash":"${block}","logsBloom":"<data>","miner":"<address>","mixHash":"<hash>","nonce":"0x0000000000000000","number":"0x1","parentHash":"${genesis}","receiptsRoot":"<hash>","sha3Uncles":"<hash>","stateRoot":"<hash>","timestamp":"<quantity>","totalDifficulty":"0x2","transactionsRoot":"<hash>"}}
>> {"jsonrpc":"2.0","id":1,"method":"eth_getHeaderByNumber","params":["0xffff"]}
<< {"id":1,"jsonrpc":"2.0","result":null}
